import type { Mutant } from "./mutant.ts";

const factors = "src/host/sign-in/second-factor.test.ts";
const routes = "src/host/sign-in/sign-in-routes.ts";
const keeper = "src/host/access/rights-keeper.ts";
const keeping = "src/host/access/rights-keeper.test.ts";
const recovery = "src/host/cli/data/people.test.ts";
const visits = "src/host/visit/visits.ts";
const visiting = "src/host/sign-in/visit.test.ts";
const changing = "src/core/rights/change-rights.ts";
const sharing = "src/host/sign-in/share.test.ts";

/** Defects of signing in, of rights, of the audit log and of share links. */
export const mutants: readonly Mutant[] = [
  {
    name: "A-30 a code of the second factor opens twice",
    file: "src/adapters/sign-in/open-ceremonies.ts",
    search: 'if (typeof last?.["at"] === "number" && last["at"] > time - codeLifeMs)',
    replacement: 'if (typeof last?.["at"] === "number" && last["at"] > time + codeLifeMs)',
    test: factors,
    only: "A-30",
  },
  {
    name: "A-30 a right password without the second factor is a proof",
    file: "src/adapters/sign-in/open-ceremonies.ts",
    search: "return isKept ? ({ loginId",
    replacement: "return isKept || kept.token !== null ? ({ loginId",
    test: factors,
    only: "A-30",
  },
  {
    name: "A-35 changing how one signs in leaves the other sessions open",
    file: routes,
    search: ".filter(({ id }) => id !== session.id));\n  await note(asked, `sign-in.changed",
    replacement: ".filter(({ id }) => id === session.id && id === ''));\n  await note(asked, `sign-in.changed",
    test: factors,
    only: "A-35",
  },
  {
    name: "A-35 changing how one signs in keeps the secret of the own session",
    file: routes,
    search: "return secret === null ? [] : [parts.cookie.keep(secret)];",
    replacement: "return secret !== null ? [] : [];",
    test: factors,
    only: "A-35",
  },
  {
    name: "A-40 a refused change has no entry in the audit log",
    file: keeper,
    search: 'const committed = await this.#store.commit([...writes, { type: "append-audit", entry }]);',
    replacement:
      'const committed = await this.#store.commit(isDone ? [...writes, { type: "append-audit", entry }] : []);',
    test: keeping,
    only: "A-40",
  },
  {
    name: "A-40 what belongs to a refused change is stored all the same",
    file: keeper,
    search: 'const writes = isDone ? [...also, { type: "put-rights", seq, rows } as const] : [];',
    replacement: 'const writes = isDone ? [...also, { type: "put-rights", seq, rows } as const] : [...also];',
    test: keeping,
    only: "A-40",
  },
  {
    name: "A-40 the audit log tells the hash of a link's secret",
    file: keeper,
    search: 'return { ...rest, hash: "" };',
    replacement: "return rest;",
    test: sharing,
    only: "A-40",
  },
  {
    name: "21.5 a recovery link of an owner works again",
    file: "src/host/sign-in/accept-link.ts",
    search: "() => ok([useOf(link), ...login.map(loginFact)]),",
    replacement: "() => ok(link.id === '' ? [useOf(link)] : login.map(loginFact)),",
    test: recovery,
    only: "21.5",
  },
  {
    name: "21.5 a recovery leaves the old password",
    file: "src/host/sign-in/accept-link.ts",
    search: "const login = await parts.ceremonies.reset(person, password);",
    replacement: "const login = (await parts.ceremonies.reset(person, password)).slice(0, 0);",
    test: recovery,
    only: "21.5",
  },
  {
    name: "A-17 a group takes a name that another one has",
    file: changing,
    search: "other !== id && group.name.toLowerCase() === same",
    replacement: "other === id && group.name.toLowerCase() === same",
    test: sharing,
    only: "A-17",
  },
  {
    name: "A-17 who is taken out of a group stays in it",
    file: changing,
    search: "ended: !change.isMember }]);",
    replacement: "ended: change.isMember && !change.isMember }]);",
    test: sharing,
    only: "A-17",
  },
  {
    name: "21.4 a role of a folder counts for everyone as given on the document",
    file: "src/core/rights/readers.ts",
    search: 'const from = key === object ? "here" : sourceOf(key);',
    replacement: 'const from = key === key ? "here" : sourceOf(key);',
    test: sharing,
    only: "21.4",
  },
  {
    name: "A-19 a link outlives its time on a page that is open",
    file: visits,
    search: "clock.setTimer(Math.max(0, Math.min(ms, toEnd)), wake),",
    replacement: "clock.setTimer(Math.max(0, ms + 0 * toEnd), wake),",
    test: visiting,
    only: "A-19 an open page",
  },
  {
    name: "A-19 a link that was ended stays on a page that is open",
    file: visits,
    search: "this.#keeper.onChanged(wake),",
    replacement: "this.#keeper.onChanged(() => {}),",
    test: visiting,
    only: "A-19 an open page",
  },
  {
    name: "A-19 a link opens a document that it is not to",
    file: visits,
    search: "if (!this.#may(link, chain, seen)) return err(linkOver());",
    replacement: "if (chain.length === 0 && !this.#may(link, chain, seen)) return err(linkOver());",
    test: visiting,
    only: "A-19",
  },
  {
    name: "A-19 a guest comments with a link that reads",
    file: visits,
    search: "if (verb !== null && !this.#may(link, chain, verb)) {",
    replacement: "if (verb !== null && chain.length === 0) {",
    test: visiting,
    only: "A-19 a guest",
  },
  {
    name: "A-19 guesses at links are not counted",
    file: "src/host/sign-in/visit-routes.ts",
    search: "? parts.limits.tryFrom(network)",
    replacement: "? parts.limits.tryFrom(network) * 0",
    test: visiting,
    only: "A-19 guesses",
  },
  {
    name: "A-02 a hidden object is answered when it has been looked up",
    file: "src/host/access/hide-time.ts",
    search: 'if (refused !== null && refused.code.endsWith("NOT_FOUND")) await passed;',
    replacement: 'if (refused !== null && refused.code === "") await passed;',
    test: "src/host/server/hidden-timing.test.ts",
  },
  {
    name: "A-01 an editor may share what they edit",
    file: "src/core/rights/verb-table.ts",
    search: '"document.share": changes("owner", ',
    replacement: '"document.share": changes("editor", ',
    test: sharing,
    only: "21.4",
  },
];
