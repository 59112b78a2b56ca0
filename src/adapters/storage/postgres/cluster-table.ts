import { randomBytes } from "node:crypto";
import { Client, type ClientConfig } from "pg";
import { must } from "../../../core/base/assert.ts";
import type { ClusterView, NodeRow } from "../../../core/cluster/cluster-view.ts";
import { workspaceKey } from "../../../core/cluster/node-state.ts";
import type { ClusterTable, JoiningNode } from "../../../core/port/cluster-table.ts";
import type { HintBus } from "../../../core/port/hint-bus.ts";
import type { NodeMeters } from "../../../core/port/node-meters.ts";
import { RowReader } from "../row/row-reader.ts";
import type { Row } from "../row/sql.ts";
import { StoreOpenError } from "../shared/store-error.ts";
import { nodeConfig, type PostgresAddress } from "./connection.ts";
import { ListenHints } from "./listen-hints.ts";
import { leastSchema, migrate, refuseTooNew } from "./migrate.ts";
import { migrations, unnamedSchema, type Migration } from "./migrations.ts";
import { Statements } from "./plan/sql.ts";
import { refusePooled } from "./pooled.ts";
import { withConnection } from "./with-connection.ts";
import { openProblem } from "./writer.ts";
import { shareLock } from "./writer-link.ts";
import { writerName } from "./writer-right.ts";

const join = `INSERT INTO nodes AS n (node_id, incarnation, state, batch, expires_at, ttl, address)
  VALUES ($1, nextval('incarnations'), 'live', 0, clock_timestamp() + $2 * interval '1 millisecond', $2 * interval '1 millisecond', $3)
  ON CONFLICT (node_id) DO UPDATE SET incarnation = EXCLUDED.incarnation, state = 'live', batch = 0,
    expires_at = EXCLUDED.expires_at, ttl = EXCLUDED.ttl, address = EXCLUDED.address
  WHERE $4::bigint IS NULL OR n.incarnation = $4 OR n.state = 'dead' OR n.expires_at < clock_timestamp()
  RETURNING incarnation`;
/** Waits for a migration under way, and holds the next one back until the node has joined. */
const neededSchema = `${leastSchema} FOR SHARE`;
const nameSchema = "INSERT INTO node_schemas (incarnation, schema) VALUES ($1, $2)";
const knownSchema = `coalesce((SELECT s.schema FROM node_schemas AS s WHERE s.incarnation = n.incarnation), ${unnamedSchema})`;
const forgetSchemas = "DELETE FROM node_schemas WHERE incarnation NOT IN (SELECT incarnation FROM nodes)";
const makeOwner = `INSERT INTO owners (key, epoch) VALUES ('${workspaceKey}', 0) ON CONFLICT DO NOTHING`;
/** Whoever was alone with the database writes no more. */
const endLoneWriter = "UPDATE writer SET holder = 'several nodes' WHERE holder <> 'several nodes'";

/** Skips the row while this node's own writer holds it: its transaction renews the row when it is made. */
const renew = `UPDATE nodes SET expires_at = clock_timestamp() + ttl WHERE node_id = (SELECT node_id FROM nodes
  WHERE incarnation = $1 AND state <> 'dead' FOR NO KEY UPDATE SKIP LOCKED)`;
const isNotDead = "SELECT 1 FROM nodes WHERE incarnation = $1 AND state <> 'dead'";

const look = `SELECT o.incarnation, o.epoch, n.node_id, n.incarnation, n.state,
    (extract(epoch FROM n.expires_at - clock_timestamp()) * 1000)::float8,
    (extract(epoch FROM n.ttl) * 1000)::float8, n.expires_at::text, n.address
  FROM owners AS o LEFT JOIN nodes AS n ON n.state <> 'dead' WHERE o.key = '${workspaceKey}'`;

/** Expired by the database's clock, or that clock was set back so far that the row says nothing. */
const expired = "(n.expires_at < clock_timestamp() OR n.expires_at > clock_timestamp() + 2 * n.ttl)";
const reapAll = `UPDATE nodes AS n SET state = 'dead' WHERE n.state <> 'dead' AND ${expired}`;
/** What is usual: its row is nobody's, so that nothing has to be waited for. */
const reapUnlocked = `UPDATE nodes SET state = 'dead' WHERE node_id = (SELECT node_id FROM nodes AS n
  WHERE n.incarnation = $1 AND n.state <> 'dead' AND ${expired} FOR UPDATE SKIP LOCKED)`;
const isExpired = `SELECT 1 FROM nodes AS n WHERE n.incarnation = $1 AND n.state <> 'dead' AND ${expired}`;
const reap = `UPDATE nodes AS n SET state = 'dead' WHERE n.incarnation = $1 AND n.state <> 'dead' AND ${expired}`;
/** By name, since a writer that has connected again has another process id. */
const endWriter = `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity AS a, nodes AS n
  WHERE a.application_name = $2 AND a.usename = current_user AND n.incarnation = $1 AND n.state <> 'dead' AND ${expired}`;

/** Holds the node's own row to the end of the transaction, and waits for the writer's. */
const ownRow = "UPDATE nodes SET expires_at = clock_timestamp() + ttl WHERE incarnation = $1 AND state <> 'dead'";
/**
 * The epoch makes it safe: judged again after a wait for the row, the sub-select still sees the nodes of its start, and
 * without the epoch would take the right from an owner who came since.
 */
const acquire = `UPDATE owners AS o SET incarnation = $1, epoch = o.epoch + 1
  WHERE o.key = '${workspaceKey}' AND o.epoch = $2
    AND NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.incarnation = o.incarnation AND n.state <> 'dead')
  RETURNING o.epoch`;
const handOver = `UPDATE owners SET incarnation = $3, epoch = epoch + 1
  WHERE key = '${workspaceKey}' AND epoch = $2 AND incarnation = $1
    AND EXISTS (SELECT 1 FROM nodes WHERE incarnation = $3 AND state = 'live')`;
const setState = "UPDATE nodes SET state = $2 WHERE incarnation = $1 AND state <> 'dead'";
/** Rows of nodes that are long gone, such as those of containers that never return. */
const forget = "DELETE FROM nodes WHERE state = 'dead' AND expires_at < clock_timestamp() - interval '1 day'";

/**
 * How long a late node's transaction is waited for before its session is ended. One that is made within this time renews the row;
 * one of a process that was stopped never is, and everybody waits for it.
 */
const lockTimeoutMs = 100;
const lockNotAvailable = "55P03";

/** Opens the rows of a cluster, and migrates the tables first. Rejects with StoreOpenError. */
export async function openClusterTable(
  options: PostgresAddress & {
    readonly ttlMs: number;
    readonly meters?: NodeMeters;
    /** Opens the hints of the cluster with this secret; absent: PostgreSQL's own. */
    readonly hints?: (secret: Uint8Array) => HintBus;
    /** What this release knows of the tables; absent: all. */
    readonly steps?: readonly Migration[];
  },
): Promise<ClusterTable> {
  const { steps = migrations } = options;
  const config = nodeConfig(options, "heddle keeper", options.ttlMs);
  const link = new KeeperLink(config);
  try {
    await refusePooled(config);
    // Takes the shared lock, so that nobody who is alone with the database is disturbed.
    await link.run(async () => undefined);
    await withConnection({ ...config, query_timeout: 0 }, (client) => migrateShared(new Statements(client), steps));
    await link.run((sql) => sql.ask(endLoneWriter));
    const secret = await link.run(secretOf);
    const hints = options.hints?.(secret) ?? new ListenHints(config, (script) => link.run((sql) => sql.script(script)));
    return new PostgresClusterTable({ link, config, secret, hints, schema: newestOf(steps), meters: options.meters });
  } catch (problem) {
    await link.close();
    throw openProblem(problem);
  }
}

/** Migrates; refuses what nodes of an earlier release that run could not go on with. */
export async function migrateShared(sql: Statements, steps: readonly Migration[] = migrations): Promise<void> {
  await migrate(sql, steps, { raising: refuseEarlierNodes });
}

async function refuseEarlierNodes(sql: Statements, least: number): Promise<void> {
  if (!(await hasTable(sql, "nodes"))) return;
  // A node whose time has run out goes on as long as nobody has declared it dead.
  await sql.ask(reapAll);
  const known = (await hasTable(sql, "node_schemas")) ? knownSchema : String(unnamedSchema);
  const earlier = `SELECT count(*) FROM nodes AS n WHERE state <> 'dead' AND ${known} < $1`;
  const running = (await sql.number(earlier, [least])) ?? 0;
  if (running === 0) return;
  const message = `${running} ${running === 1 ? "node" : "nodes"} of an earlier release still ${running === 1 ? "runs" : "run"} on this database. Stop ${running === 1 ? "it" : "them"} first: this release changes the tables in a way that ${running === 1 ? "it does" : "they do"} not know.`;
  throw new StoreOpenError("STORE_IN_USE", message);
}

async function hasTable(sql: Statements, name: string): Promise<boolean> {
  return (await sql.first("SELECT to_regclass(current_schema() || '.' || $1)::text", [name]))?.[0] !== null;
}

function newestOf(steps: readonly Migration[]): number {
  return steps.at(-1)?.version ?? 0;
}

async function secretOf(sql: Statements): Promise<Uint8Array> {
  await sql.ask("INSERT INTO cluster (secret) VALUES ($1) ON CONFLICT DO NOTHING", [randomBytes(32).toString("hex")]);
  const [secret] = must(await sql.first("SELECT secret FROM cluster"), "the cluster has a secret");
  return new Uint8Array(Buffer.from(String(secret), "hex"));
}

interface TableParts {
  /** The newest schema that this release knows. */
  readonly schema: number;
  readonly link: KeeperLink;
  readonly config: ClientConfig;
  readonly secret: Uint8Array;
  readonly hints: HintBus;
  readonly meters: NodeMeters | undefined;
}

class PostgresClusterTable implements ClusterTable {
  readonly secret: Uint8Array;
  readonly #link: KeeperLink;
  readonly #config: ClientConfig;
  readonly #hints: HintBus;
  readonly #meters: NodeMeters | undefined;
  readonly #schema: number;

  constructor({ link, config, secret, hints, schema, meters }: TableParts) {
    this.#schema = schema;
    this.#meters = meters;
    this.#link = link;
    this.#config = config;
    this.#hints = hints;
    this.secret = secret;
  }

  join({ nodeId, ttlMs, address, again }: JoiningNode) {
    return this.#changing(async (sql) => {
      await sql.ask(makeOwner);
      await sql.ask(forget);
      refuseTooNew((await sql.number(neededSchema)) ?? 0, this.#schema);
      const incarnation = await sql.number(join, [nodeId, ttlMs, address, again]);
      if (incarnation === null) return null;
      await sql.ask(forgetSchemas);
      await sql.ask(nameSchema, [incarnation, this.#schema]);
      return incarnation;
    });
  }

  renew(incarnation: number) {
    return this.#link.run(async (sql) => {
      if ((await sql.ask(renew, [incarnation])).touched === 1) return true;
      return (await sql.first(isNotDead, [incarnation])) === null ? false : null;
    });
  }

  look() {
    return this.#link.run(async (sql) => viewOf(await sql.all(look)));
  }

  async reap(incarnation: number) {
    const found = await this.#link.run(async (sql) => {
      if ((await sql.ask(reapUnlocked, [incarnation])).touched === 1) return "declared dead";
      return (await sql.first(isExpired, [incarnation])) === null ? "alive or dead" : "locked";
    });
    const isDead = found === "locked" ? await this.#reapLocked(incarnation) : found === "declared dead";
    if (!isDead) return;
    this.#meters?.reaped();
    this.#tell();
  }

  /** Over a connection of its own, so that nothing waits behind it. */
  async #reapLocked(incarnation: number): Promise<boolean> {
    const config = {
      ...this.#config,
      options: `${this.#config.options ?? ""} -c lock_timeout=${lockTimeoutMs}`.trim(),
    };
    const client = new Client(config);
    client.on("error", () => {});
    await client.connect();
    try {
      const sql = new Statements(client);
      try {
        return (await sql.ask(reap, [incarnation])).touched === 1;
      } catch (problem) {
        if (!(problem instanceof Error && "code" in problem && problem.code === lockNotAvailable)) throw problem;
        // A transaction of the late node is open: its session is ended, and it is rolled back.
        const ended = await sql.all(endWriter, [incarnation, writerName(incarnation)]);
        this.#meters?.sessionsEnded(ended.length);
        return (await sql.ask(reap, [incarnation])).touched === 1;
      }
    } finally {
      await client.end();
    }
  }

  acquire(incarnation: number, epoch: number) {
    return this.#changing(async (sql) => {
      if ((await sql.ask(ownRow, [incarnation])).touched !== 1) return null;
      return sql.number(acquire, [incarnation, epoch]);
    });
  }

  handOver(incarnation: number, epoch: number, to: number) {
    return this.#changing(async (sql) => {
      if ((await sql.ask(ownRow, [incarnation])).touched !== 1) return false;
      return (await sql.ask(handOver, [incarnation, epoch, to])).touched === 1;
    });
  }

  async drain(incarnation: number) {
    await this.#changing((sql) => sql.ask(setState, [incarnation, "draining"]));
  }

  async leave(incarnation: number) {
    await this.#changing((sql) => sql.ask(setState, [incarnation, "dead"]));
  }

  onHint(listener: () => void) {
    return this.#hints.onHint(listener);
  }

  async close() {
    await this.#hints.close();
    await this.#link.close();
  }

  async #changing<Value>(work: (sql: Statements) => Promise<Value>): Promise<Value> {
    const value = await this.#link.run(async (sql) => {
      await sql.command("BEGIN");
      try {
        const made = await work(sql);
        await sql.command("COMMIT");
        return made;
      } catch (problem) {
        await sql.command("ROLLBACK").catch(() => {});
        throw problem;
      }
    });
    this.#tell();
    return value;
  }

  /** Hints to the others that rows changed: never in the transaction, whose COMMIT would wait for others' hints. */
  #tell(): void {
    this.#meters?.hint("sent");
    this.#hints.tell();
  }
}

/** The connection for a node's own rows, opened again when it is lost. One transaction at a time. */
class KeeperLink {
  readonly #config: ClientConfig;
  #client: Client | null = null;
  #tail: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(config: ClientConfig) {
    this.#config = config;
  }

  run<Value>(work: (sql: Statements) => Promise<Value>): Promise<Value> {
    const done = this.#tail.then(() => this.#try(work));
    this.#tail = done.catch(() => {});
    return done;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#tail;
    await this.#client?.end().catch(() => {});
  }

  async #try<Value>(work: (sql: Statements) => Promise<Value>): Promise<Value> {
    const client = this.#client ?? (await this.#connect());
    this.#client = client;
    try {
      return await work(new Statements(client));
    } catch (problem) {
      // Whatever went wrong, the next question gets a connection that is known to be in order.
      this.#client = null;
      client.end().catch(() => {});
      throw problem;
    }
  }

  async #connect(): Promise<Client> {
    if (this.#isClosed) throw new Error("the keeper's connection is closed");
    const client = new Client(this.#config);
    client.on("error", () => {});
    await client.connect();
    const sql = new Statements(client);
    const shared = await sql.first(shareLock);
    if (shared?.[0] === 1) return client;
    await client.end();
    if (shared?.[0] === null) {
      throw new StoreOpenError("STORE_FAILED", "The schema in the address does not exist. Create it first.");
    }
    const message =
      "A Heddle server that is alone with this database uses it. Stop it, or start it with --node-address too.";
    throw new StoreOpenError("STORE_IN_USE", message);
  }
}

function viewOf(rows: readonly Row[]): ClusterView {
  const [first] = rows;
  if (first === undefined) return { nodes: [], claim: { incarnation: null, epoch: 0 } };
  const claim = new RowReader("owners", first);
  const nodes = rows.flatMap((row): NodeRow[] => {
    const reader = new RowReader("nodes", row);
    reader.integerOrNull();
    reader.integer();
    const nodeId = reader.textOrNull();
    if (nodeId === null) return [];
    return [
      {
        nodeId,
        incarnation: reader.integer(),
        state: reader.text<NodeRow["state"]>(),
        remainingMs: reader.real(),
        ttlMs: reader.real(),
        stamp: reader.text(),
        address: reader.text(),
      },
    ];
  });
  return { nodes, claim: { incarnation: claim.integerOrNull(), epoch: claim.integer() } };
}
