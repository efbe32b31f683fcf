// Has no types; it adds to the global object.
declare module 'core-js/actual/async-disposable-stack/index.js';
