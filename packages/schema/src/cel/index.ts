// The rules of a schema: judged by without an API server, checked when they are defined, and
// compiled for a server's use.
export { rulesEngine } from './rules-engine.ts';
export { ruleErrors } from './rule-errors.ts';
export type { Judgement, Rules } from './rules.ts';
export { compileRules } from './rules.ts';
// Single expressions in Kubernetes' environment, with variables of declared types.
export type { Environment } from './environment.ts';
export { kubernetesEnvironment } from './environment.ts';
export type { Budget, Compilation, Expression } from './expression.ts';
export { compileExpression } from './expression.ts';
export { addLibrary } from './library/library.ts';
export { Authorizer, authorizerLibrary, authorizerType } from './library/library-authorizer.ts';
export type { DeclaredType } from './declared-type.ts';
export { declareTypes } from './declared-type.ts';
export { dynamicValue } from './values/dynamic-value.ts';
