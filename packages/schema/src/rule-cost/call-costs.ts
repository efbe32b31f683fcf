import type { CallCost, CallSite } from './call-site.ts';
import { withGiven } from './call-site.ts';
import { libraryCost } from './library-costs.ts';
import { listLibraryCosts } from './list-library-costs.ts';
import { standardCosts } from './standard-costs.ts';

/**
 * The possible costs of a call, one for each overload that it may mean: if a type is not known
 * before evaluation, there are several. The extensions of lists and sets decide first, then
 * Kubernetes' libraries, then the language. The default cost is 1.
 */
export function callCosts(site: CallSite): readonly CallCost[] {
  const found = listLibraryCosts(site);
  if (found !== undefined) return found;
  const library = libraryCost(site);
  if (library !== undefined) return [withGiven(site, library.cost, library.size)];
  return standardCosts(site) ?? [withGiven(site, 1)];
}
