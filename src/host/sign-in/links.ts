import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { timeSortedId, type GroupId, type PersonId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { roles, type Role } from "../../core/rights/role.ts";
import { newToken } from "../server/http/token.ts";
import type { FactWrite, SignInFacts } from "./sign-in-facts.ts";

const linkForm = v.variant("type", [
  v.object({ type: v.literal("owner"), id: v.string(), expiresAt: v.number() }),
  v.object({
    type: v.literal("invitation"),
    id: v.string(),
    expiresAt: v.number(),
    madeAt: v.number(),
    by: v.string(),
    /** The address that it is for; null: whoever has it. */
    email: v.nullable(v.string()),
    role: v.nullable(v.picklist(roles)),
    groups: v.array(v.string()),
  }),
  v.object({ type: v.literal("recovery"), id: v.string(), expiresAt: v.number(), person: v.string() }),
]);

/** A one-time link: for the first owner, for somebody invited, or for somebody who lost what they sign in with. */
export type EntryLink = v.InferOutput<typeof linkForm> & { readonly hash: string };
export type Invitation = Extract<EntryLink, { readonly type: "invitation" }>;

const minuteMs = 60 * 1000;
/** Lives of links. Milliseconds. */
const lives = { owner: 15 * minuteMs, recovery: 60 * minuteMs, invitation: 7 * 24 * 60 * minuteMs } as const;

/** What a link is for. */
export type Purpose =
  | { readonly type: "owner" }
  | { readonly type: "recovery"; readonly person: PersonId }
  | {
      readonly type: "invitation";
      readonly by: PersonId;
      readonly email: string | null;
      readonly role: Role | null;
      readonly groups: readonly GroupId[];
    };

/** The one-time links of a team. */
export class EntryLinks {
  readonly #facts: SignInFacts;
  readonly #platform: Pick<Platform, "clock" | "random">;

  constructor(facts: SignInFacts, platform: Pick<Platform, "clock" | "random">) {
    this.#facts = facts;
    this.#platform = platform;
  }

  /** Makes a link and returns its secret, which is shown once. An owner's or a recovery's replaces the one before. */
  async make(
    purpose: Purpose,
    commit: (writes: readonly StoreWrite[]) => Promise<Result<void, Refusal>>,
  ): Promise<Result<{ readonly id: string; readonly secret: string; readonly expiresAt: number }, Refusal>> {
    const { clock, random } = this.#platform;
    const madeAt = clock.now();
    const secret = newToken(random);
    const id = timeSortedId("link", madeAt, random.bytes(12));
    const expiresAt = madeAt + lives[purpose.type];
    const rest = purpose.type === "invitation" ? { ...purpose, groups: [...purpose.groups], madeAt } : purpose;
    const record = { ...rest, id, expiresAt };
    const made = await this.#facts.together(() => {
      const replaced = this.#all().filter((link) => link.expiresAt <= madeAt || isReplacedBy(link, purpose));
      return ok([{ kind: "link", id: sha256Hex(secret), record }, ...replaced.map((link) => useOf(link))]);
    }, commit);
    return made.ok ? ok({ id, secret, expiresAt }) : made;
  }

  /** Returns the link of a secret; null where none is valid. */
  find(secret: string): EntryLink | null {
    const link = this.#read(sha256Hex(secret));
    return link !== null && link.expiresAt > this.#platform.clock.now() ? link : null;
  }

  /** Returns the invitations that nobody has accepted, newest first. */
  invitations(): readonly Invitation[] {
    const now = this.#platform.clock.now();
    const open = this.#all().filter((link): link is Invitation => link.type === "invitation" && link.expiresAt > now);
    return open.toSorted((one, other) => other.madeAt - one.madeAt);
  }

  async withdraw(
    id: string,
    commit: (writes: readonly StoreWrite[]) => Promise<Result<void, Refusal>>,
  ): Promise<Result<void, Refusal>> {
    return this.#facts.together(() => {
      const link = this.invitations().find((each) => each.id === id);
      if (link !== undefined) return ok([useOf(link)]);
      return err(refusal("NOT_FOUND", { invitation: id }, "No open invitation has this id. Nothing was changed."));
    }, commit);
  }

  #all(): EntryLink[] {
    return [...this.#facts.of("link").keys()].flatMap((hash) => this.#read(hash) ?? []);
  }

  #read(hash: string): EntryLink | null {
    const read = v.safeParse(linkForm, this.#facts.of("link").get(hash));
    return read.success ? { ...read.output, hash } : null;
  }
}

/** The use of a link, which is stored with what it leads to: the second of two who use it is refused. */
export function useOf({ hash }: EntryLink): FactWrite {
  return { kind: "link", id: hash, record: null };
}

function isReplacedBy(link: EntryLink, purpose: Purpose): boolean {
  if (link.type === "owner") return purpose.type === "owner";
  return link.type === "recovery" && purpose.type === "recovery" && link.person === purpose.person;
}
