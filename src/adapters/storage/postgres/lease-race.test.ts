import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import { must } from "../../../core/base/assert.ts";
import type { Lease } from "../../../core/lease/types.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { blockId, heldLease } from "../../../testing/store/records.ts";
import { migrate } from "./migrate.ts";
import { Statements } from "./plan/sql.ts";
import { leaseQueries, planLeaseWrite } from "./tables/leases.ts";

const racers = 8;
let database: TestDatabase;
let clients: readonly Client[] = [];
beforeAll(async () => {
  database = await testDatabase();
  clients = await Promise.all(
    Array.from({ length: racers }, async () => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      return client;
    }),
  );
  await migrate(new Statements(must(clients[0], "a connection")));
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database.drop();
});

type LeaseStatement = Parameters<typeof planLeaseWrite>[0];

/** Sends the one statement of a write over its own connection; returns whether it touched a row. */
async function made(client: Client, write: LeaseStatement & StoreWrite): Promise<boolean> {
  const [step] = planLeaseWrite(write).steps;
  const { sql, values } = must(step, "a write of a lease is one statement");
  return (await client.query(sql, [...values])).rowCount === 1;
}

test("C-09 of eight connections that acquire one canvas's lease at once, exactly one gets it, a hundred times", async () => {
  const canvasId = blockId("canvas");
  const first = must(clients[0], "a connection");
  let epoch = 0;
  for (let round = 1; round <= 100; round += 1) {
    const asked = (racer: number): Lease => heldLease(`${round}-${racer}`, epoch + 1 + (round % 2 === 0 ? racer : 0));
    const won = await Promise.all(
      clients.map((client, racer) => made(client, { type: "acquire-lease", lease: asked(racer), monotonicMs: 0 })),
    );
    expect(won.filter((each) => each)).toHaveLength(1);
    const winner = asked(won.indexOf(true));
    const { rows } = await first.query(leaseQueries.lease, [canvasId]);
    expect(rows).toMatchObject([{ lease_id: winner.held?.leaseId, epoch: String(winner.epoch) }]);
    epoch = winner.epoch + 1;
    await made(first, { type: "preempt-lease", canvasId, epoch });
  }
});

test("eight renewals beside a preemption never restore the lease, a hundred times", async () => {
  const canvasId = blockId("other");
  const first = must(clients[0], "a connection");
  for (let epoch = 1; epoch <= 200; epoch += 2) {
    const lease = heldLease(`${epoch}`, epoch, { canvas: "other" });
    await made(first, { type: "acquire-lease", lease, monotonicMs: 0 });
    await Promise.all(
      clients.map((client, number) => {
        const renewal = { type: "renew-lease", lease, monotonicMs: 0 } as const;
        return made(client, number === 4 ? { type: "preempt-lease", canvasId, epoch: epoch + 1 } : renewal);
      }),
    );
    const { rows } = await first.query(leaseQueries.lease, [canvasId]);
    expect(rows).toMatchObject([{ lease_id: null, epoch: String(epoch + 1) }]);
  }
});
