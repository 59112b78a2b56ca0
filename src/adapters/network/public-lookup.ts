import { type lookup, type LookupAddress, type LookupOptions } from "node:dns";
import { isPublicAddress } from "./public-address.ts";

type LookupDone = (problem: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** How `node:http` resolves a name. */
export type Lookup = typeof lookup;

/** A name leads to an address that is not public. */
export class NotPublic extends Error {
  constructor(name: string) {
    super(`${name} leads to an address that is not public.`);
  }
}

/**
 * Returns a lookup that refuses a name whose address, or one of them, is not public. The connection is made to the addresses
 * that were judged, so a name that changes its address in between opens nothing.
 */
export function publicLookup(resolve: Lookup) {
  return (name: string, options: LookupOptions, done: LookupDone): void => {
    resolve(name, { ...options, all: true }, (problem, addresses) => {
      if (problem !== null) return done(problem, []);
      const inside = addresses.find(({ address }) => !isPublicAddress(address));
      const [first] = addresses;
      if (inside !== undefined || first === undefined) return done(new NotPublic(name), []);
      if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

/** Returns whether the host of an address is public as far as its name says: no IP address of an inner network, no localhost. */
export function isPublicHost(hostname: string, isPublic = isPublicAddress): boolean {
  const literal = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (literal === "localhost" || literal.endsWith(".localhost")) return false;
  return /^[\d.]+$|:/.test(literal) ? isPublic(literal) : true;
}
