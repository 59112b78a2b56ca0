import fc from "fast-check";
import { expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { PersonId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { firstBrokenEntry } from "../../core/rights/audit.ts";
import type { Right } from "../../core/rights/token-right.ts";
import { seededRandom } from "../../testing/seeded-random.ts";
import { simulatedClock, type SimulatedClock } from "../../testing/simulated-clock.ts";
import { scaled } from "../../../test/scale.ts";
import { RightsKeeper } from "../access/rights-keeper.ts";
import { Permits } from "./permits.ts";
import { SignInFacts } from "./sign-in-facts.ts";

const ada = "ada" as PersonId;
const mcp = "https://heddle.example/mcp";
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const rights: readonly Right[] = ["read", "write"];

interface Held {
  readonly permits: Permits;
  readonly facts: SignInFacts;
  readonly store: ReturnType<typeof openMemoryStore>;
  readonly clock: SimulatedClock;
  readonly ended: string[];
  readonly give: () => Promise<string>;
  readonly keep: (kind: "access" | "refresh", permitId: string, secret: string) => Promise<boolean>;
}

async function openPermits(seed = 1): Promise<Held> {
  const clock = simulatedClock();
  const store = openMemoryStore();
  const keeper = await RightsKeeper.open(store, clock);
  accept(await keeper.begin(ada, "Ada"));
  const facts = await SignInFacts.open(store);
  const platform = { clock, random: seededRandom(seed), logger: quiet };
  const permits = new Permits(facts, { keeper, platform, offered: () => rights });
  const ended: string[] = [];
  permits.onEnded((id) => ended.push(id));
  const client = { id: "program_loom", name: "Loom", redirectUris: ["http://127.0.0.1/callback"] };
  const lives = { access: 10 * minuteMs, refresh: 30 * dayMs } as const;
  return {
    permits,
    facts,
    store,
    clock,
    ended,
    async give() {
      const about = { person: ada, client, resource: mcp, address: "192.0.2.0", sessionId: "session_1" };
      return accept(await permits.make({ ...about, rights, refused: [] })).id;
    },
    keep(kind, grantId, secret) {
      const iat = Math.floor(clock.now() / 1000);
      const record = { grantId, iat, exp: iat + lives[kind] / 1000, aud: mcp, scope: "read write" };
      return permits.keep(kind, sha256Hex(secret), record);
    },
  };
}

const step = fc.oneof(
  fc.record({ type: fc.constant("rotate" as const), permit: fc.nat(2) }),
  fc.record({ type: fc.constant("replay" as const), permit: fc.nat(2), back: fc.nat(4) }),
  fc.record({ type: fc.constant("twice" as const), permit: fc.nat(2) }),
  fc.record({ type: fc.constant("end" as const), permit: fc.nat(2) }),
  fc.record({ type: fc.constant("give" as const), permit: fc.nat(2) }),
  fc.record({ type: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 900 }) }),
);

/** What must be true of a permit: whether it is over, its access tokens with their time, and its refresh tokens, the last unused. */
interface Model {
  id: string;
  isOver: boolean;
  readonly access: { readonly secret: string; readonly until: number }[];
  readonly refresh: string[];
}

test("A-39 in any order of use, theft and end, a token opens only what its permit is good for", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const held = await openPermits();
      const { permits, clock } = held;
      let made = 0;
      const mint = async (model: Model): Promise<void> => {
        const secrets = { access: `access-${made}`, refresh: `refresh-${made}` };
        made += 1;
        expect(await held.keep("refresh", model.id, secrets.refresh)).toBe(!model.isOver);
        expect(await held.keep("access", model.id, secrets.access)).toBe(!model.isOver);
        model.refresh.push(secrets.refresh);
        model.access.push({ secret: secrets.access, until: Math.floor(clock.now() / 1000) * 1000 + 10 * minuteMs });
      };
      const give = async (): Promise<Model> => {
        const model: Model = { id: await held.give(), isOver: false, access: [], refresh: [] };
        await mint(model);
        return model;
      };
      const models = [await give(), await give(), await give()];
      for (const each of steps) {
        const model = "permit" in each ? models[each.permit] : undefined;
        if (each.type === "wait") await clock.advance(each.seconds * 1000);
        else if (model === undefined) throw new Error("there are three");
        else if (each.type === "give") models[each.permit] = await give();
        else if (each.type === "end") {
          await permits.end(
            permits.of(ada).filter(({ id }) => id === model.id),
            { act: "permit.ended", sessionId: null },
          );
          model.isOver = true;
        } else if (each.type === "twice") {
          const hash = sha256Hex(model.refresh.at(-1) ?? "");
          const both = await Promise.all([permits.use("refresh", hash), permits.use("refresh", hash)]);
          expect(both.filter(Boolean)).toHaveLength(model.isOver ? 0 : 1);
          model.isOver = true;
        } else {
          const back = each.type === "replay" ? each.back + 1 : 0;
          const secret = model.refresh.at(-1 - back);
          if (secret === undefined) continue;
          const isFirst = back === 0 && !model.isOver;
          expect(await permits.use("refresh", sha256Hex(secret))).toBe(isFirst);
          if (back > 0) model.isOver = true;
          if (isFirst) await mint(model);
        }
        for (const { id, isOver, access } of models) {
          expect(permits.isValid(id)).toBe(!isOver);
          // What was on its way when the permit ended comes too late.
          if (isOver) expect(await held.keep("access", id, "late")).toBe(false);
          for (const { secret, until } of access.slice(-8)) {
            const isGood = !isOver && until > clock.now();
            expect(permits.findToken(secret, mcp)?.id ?? null).toBe(isGood ? id : null);
            expect(permits.findToken(secret, "https://heddle.example/api")).toBeNull();
          }
        }
      }
      expect(firstBrokenEntry(await held.store.audit(0, 999))).toBeNull();
      permits.close();
    }),
    { numRuns: scaled(60) },
  );
});

test("of a permit at most eight access tokens are good at once, and two hundred used ones are remembered", async () => {
  const { permits, facts, keep, give } = await openPermits();
  const id = await give();
  for (let n = 0; n < 230; n += 1) {
    expect(await keep("refresh", id, `refresh-${n}`)).toBe(true);
    expect(await keep("access", id, `access-${n}`)).toBe(true);
    if (n < 229) expect(await permits.use("refresh", sha256Hex(`refresh-${n}`))).toBe(true);
  }
  expect(facts.of("oauth.access").size).toBe(8);
  expect(facts.of("oauth.refresh").size).toBe(200);
  // The one that is not used yet is never among those that are forgotten.
  expect(permits.find("refresh", sha256Hex("refresh-229"))).not.toBeNull();
  expect(await permits.use("refresh", sha256Hex("refresh-100"))).toBe(false);
  expect(permits.isValid(id)).toBe(false);
  expect([facts.of("oauth.access").size, facts.of("oauth.refresh").size]).toEqual([0, 0]);
});

test("a permit ends by itself: unused after its first minutes, after thirty idle days, and after ninety", async () => {
  const { clock, permits, keep, give, ended } = await openPermits();
  const unused = await give();
  const idle = await give();
  const used = await give();
  await keep("refresh", idle, "idle");
  await keep("refresh", used, "used-0");
  await clock.advance(20 * minuteMs);
  expect(ended).toEqual([unused]);
  for (let n = 0; n < 8; n += 1) {
    await clock.advance(10 * dayMs);
    expect(await permits.use("refresh", sha256Hex(`used-${n}`))).toBe(true);
    expect(await keep("refresh", used, `used-${n + 1}`)).toBe(true);
  }
  expect(ended).toEqual([unused, idle]);
  await clock.advance(11 * dayMs);
  expect(ended).toEqual([unused, idle, used]);
});

test("a person has at most fifty permits", async () => {
  const { permits, give } = await openPermits();
  for (let n = 0; n < 50; n += 1) await give();
  await expect(give()).rejects.toThrow("50 programs act for you already");
  await permits.endAll(ada);
  await give();
  expect(permits.of(ada)).toHaveLength(1);
});

test("an access token opens nothing after its ten minutes, before anything has removed it", async () => {
  const { clock, permits, keep, give, facts } = await openPermits();
  const id = await give();
  await clock.advance(30_000);
  await keep("access", id, "access");
  await keep("refresh", id, "refresh");
  await clock.advance(10 * minuteMs - 1000);
  expect(permits.findToken("access", mcp)?.id).toBe(id);
  await clock.advance(1000);
  expect(facts.of("oauth.access").size).toBe(1);
  expect(permits.findToken("access", mcp)).toBeNull();
  await clock.advance(minuteMs);
  expect(facts.of("oauth.access").size).toBe(0);
  expect(permits.isValid(id)).toBe(true);
});
