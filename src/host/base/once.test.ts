import { afterEach, describe, expect, test, vi } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RequestId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { Once, type NamedRequest, type Remember } from "./once.ts";

interface Answer {
  readonly made: number;
}

const warn = vi.fn();
afterEach(() => warn.mockClear());

function open(store = openMemoryStore()) {
  const once = new Once(store, { clock: simulatedClock(), logger: { info() {}, warn, error() {} } });
  let made = 0;
  /** Creates something in one transaction with its record. */
  const make = async (remember: Remember<Answer>): Promise<Result<Answer, Refusal>> => {
    made += 1;
    const stored = await store.commit([
      { type: "put-meta", key: `made ${made}`, value: {} },
      ...remember({ made }, null),
    ]);
    return stored.ok ? ok({ made }) : err(refusal("STORE_FAILED"));
  };
  return { store, once, make, made: () => made };
}

function named(requestId: string, asked: object = {}, clientId = "a page"): NamedRequest {
  return { clientId, requestId: requestId as RequestId, asked };
}

describe("a request", () => {
  test("C-38 takes effect once, however often it is repeated, also after a restart", async () => {
    const { once, make, made, store } = open();
    const [first, second] = await Promise.all([once.run(named("1"), make), once.run(named("1"), make)]);
    const third = await once.run(named("1"), make);
    const later = open(openMemoryStore(store.image()));
    const fourth = await later.once.run(named("1"), later.make);
    expect([first, second, third, fourth]).toEqual(Array.from({ length: 4 }, () => ok({ made: 1 })));
    expect([made(), later.made()]).toEqual([1, 0]);
  });

  test("without an id is simply performed", async () => {
    const { once, make } = open();
    expect(await once.run(null, make)).toEqual(ok({ made: 1 }));
    expect(await once.run(null, make)).toEqual(ok({ made: 2 }));
  });

  test("of another client with the same id is another request", async () => {
    const { once, make } = open();
    expect(await once.run(named("1"), make)).toEqual(ok({ made: 1 }));
    expect(await once.run(named("1", {}, "another page"), make)).toEqual(ok({ made: 2 }));
  });

  test.each([
    ["after the first is answered", true],
    ["while the first runs", false],
  ])("with other parameters and the same id is refused %s", async (_when, waits) => {
    const { once, make, made } = open();
    const first = once.run(named("1", { text: "one", to: { a: 1, b: 2 } }), make);
    if (waits) await first;
    const other = await once.run(named("1", { text: "two", to: { a: 1, b: 2 } }), make);
    expect(other).toMatchObject({ ok: false, error: { code: "REQUEST_ID_REUSED", details: { request_id: "1" } } });
    const same = await once.run(named("1", { to: { b: 2, a: 1 }, text: "one" }), make);
    expect(same).toEqual(await first);
    expect(made()).toBe(1);
  });

  test("that is refused, or fails, runs again when repeated", async () => {
    const { once, make } = open();
    const refused = once.run<Answer>(named("1"), async () => err(refusal("AGENT_BUSY")));
    expect(await refused).toMatchObject({ ok: false, error: { code: "AGENT_BUSY" } });
    await expect(once.run<Answer>(named("1"), () => Promise.reject(new Error("defect")))).rejects.toThrow("defect");
    expect(await once.run(named("1"), make)).toEqual(ok({ made: 1 }));
  });

  test("whose effect is outside the store is recorded afterwards", async () => {
    const { once, make, made } = open();
    expect(await once.run<Answer>(named("1"), async () => ok({ made: 7 }))).toEqual(ok({ made: 7 }));
    expect(await once.run(named("1"), make)).toEqual(ok({ made: 7 }));
    expect(made()).toBe(0);
  });

  test("is answered even if its record cannot be stored after its effect", async () => {
    const { once } = open(openMemoryStore(undefined, { fault: () => "STORE_FULL" }));
    expect(await once.run<Answer>(named("1"), async () => ok({ made: 7 }))).toEqual(ok({ made: 7 }));
    expect(warn).toHaveBeenCalledWith("request-not-recorded", { code: "STORE_FULL" });
  });

  test("of which the disk stores nothing can be repeated", async () => {
    let isFull = true;
    const { once, make } = open(openMemoryStore(undefined, { fault: () => (isFull ? "STORE_FULL" : null) }));
    expect(await once.run(named("1"), make)).toMatchObject({ ok: false });
    isFull = false;
    expect(await once.run(named("1"), make)).toEqual(ok({ made: 2 }));
  });

  test("has a record that does not reveal its parameters", async () => {
    const { once, make, store } = open();
    await once.run(named("1", { key: "sk-0123456789" }), make);
    await once.run(named("2", { key: "sk-0123456789" }), make);
    const [first, second] = await Promise.all(["1", "2"].map((id) => store.request("a page", id as RequestId)));
    expect(JSON.stringify([first, second])).not.toContain("sk-");
    expect(first?.paramsHash).toMatch(/^[0-9a-f]{64}$/);
    expect(first?.paramsHash).not.toBe(second?.paramsHash);
  });
});
