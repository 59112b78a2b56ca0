import { Client } from "pg";

/**
 * What the database itself notes while a test runs, by triggers that only the test's schema has: each transaction of a
 * writer, each change of owner and each death, numbered without gaps under a lock, in the order of their commits.
 */
const triggers = `
CREATE TABLE history_count (n bigint NOT NULL);
INSERT INTO history_count VALUES (0);
CREATE TABLE history (n bigint PRIMARY KEY, at timestamptz NOT NULL, kind text NOT NULL, incarnation bigint, epoch bigint);
CREATE FUNCTION note(kind text, incarnation bigint, epoch bigint) RETURNS void LANGUAGE sql AS $$
  WITH next AS (UPDATE history_count SET n = n + 1 RETURNING n)
  INSERT INTO history SELECT n, clock_timestamp(), $1, $2, $3 FROM next $$;
CREATE FUNCTION note_node() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.incarnation <> OLD.incarnation THEN PERFORM note('dead', OLD.incarnation, NULL);
  ELSIF NEW.state = 'dead' AND OLD.state <> 'dead' THEN PERFORM note('dead', NEW.incarnation, NULL);
  ELSIF NEW.batch <> OLD.batch THEN PERFORM note('write', NEW.incarnation,
    (SELECT epoch FROM owners WHERE key = 'w/all'));
  END IF; RETURN NEW; END $$;
CREATE FUNCTION note_owner() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM note('owner', NEW.incarnation, NEW.epoch); RETURN NEW; END $$;
CREATE TRIGGER note_node BEFORE UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION note_node();
CREATE TRIGGER note_owner BEFORE UPDATE ON owners FOR EACH ROW EXECUTE FUNCTION note_owner();
SELECT note('owner', incarnation, epoch) FROM owners;
`;

export interface HistoryRow {
  readonly n: number;
  readonly kind: "write" | "owner" | "dead";
  readonly incarnation: number;
  readonly epoch: number | null;
}

export async function noteHistory(url: string): Promise<void> {
  await query(url, triggers);
}

export async function readHistory(url: string): Promise<readonly HistoryRow[]> {
  const rows = await query(url, "SELECT n, kind, incarnation, epoch FROM history ORDER BY n");
  return rows.map((row) => ({
    n: Number(row["n"]),
    kind: kindOf(row["kind"]),
    incarnation: Number(row["incarnation"]),
    epoch: row["epoch"] === null ? null : Number(row["epoch"]),
  }));
}

function kindOf(kind: unknown): HistoryRow["kind"] {
  if (kind === "write" || kind === "owner" || kind === "dead") return kind;
  throw new Error(`no such row: ${String(kind)}`);
}

export async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    const answer = await client.query<Record<string, unknown>>(sql);
    return answer.rows ?? [];
  } finally {
    await client.end().catch(() => {});
  }
}

/** What somebody who types was told: a word, and when its edit was acknowledged. */
export interface Acknowledged {
  readonly canvasId: string;
  readonly word: string;
  readonly atMs: number;
}

/** Everything that the checker reads: what the database noted, what clients were told, and the texts at the end. */
export interface Evidence {
  readonly history: readonly HistoryRow[];
  readonly acknowledged: readonly Acknowledged[];
  /** Every word that anybody typed, by canvas. */
  readonly typed: ReadonlyMap<string, readonly string[]>;
  readonly texts: ReadonlyMap<string, string>;
}

/** Judges a run. Knows nothing of what nodes thought. */
export function judge({ history, acknowledged, typed, texts }: Evidence): readonly string[] {
  const problems: string[] = [];
  const dead = new Set<number>();
  let owner: number | null = null;
  let epoch = 0;
  for (const [index, row] of history.entries()) {
    if (row.n !== index + 1) problems.push(`the history has ${row.n} at place ${index + 1}`);
    if (row.kind === "dead") dead.add(row.incarnation);
    if (row.kind === "owner") {
      if (row.epoch === null || row.epoch <= epoch) problems.push(`epoch ${row.epoch} after epoch ${epoch}`);
      if (owner !== null && row.incarnation < owner && dead.has(row.incarnation)) {
        problems.push(`dead incarnation ${row.incarnation} became the owner`);
      }
      owner = row.incarnation;
      epoch = row.epoch ?? epoch;
    }
    if (row.kind === "write" && (dead.has(row.incarnation) || row.incarnation !== owner || row.epoch !== epoch)) {
      problems.push(
        `a stale write of incarnation ${row.incarnation} under epoch ${row.epoch} was accepted (row ${row.n})`,
      );
    }
  }
  const counts = new Map([...texts].map(([canvasId, text]) => [canvasId, countsOf(text)]));
  for (const { canvasId, word } of acknowledged) {
    const count = counts.get(canvasId)?.get(word) ?? 0;
    if (count !== 1) problems.push(`${word} was acknowledged and is in ${canvasId} ${count} times`);
  }
  for (const [canvasId, words] of typed) {
    const known = new Set(words);
    const inText = counts.get(canvasId) ?? new Map<string, number>();
    for (const word of known) {
      const count = inText.get(word) ?? 0;
      if (count > 1) problems.push(`${word} is in ${canvasId} ${count} times`);
    }
    const strange = [...inText.keys()].filter((word) => !known.has(word));
    if (strange.length > 0) problems.push(`nobody typed ${strange.join(", ")} in ${canvasId}`);
  }
  return problems;
}

/** Returns the longest time between two acknowledgements of a canvas, in milliseconds, from first to last. */
export function longestGapMs(acknowledged: readonly Acknowledged[]): number {
  const times = new Map<string, number[]>();
  for (const { canvasId, atMs } of acknowledged) {
    const list = times.get(canvasId) ?? [];
    if (list.length === 0) times.set(canvasId, list);
    list.push(atMs);
  }
  let longest = 0;
  for (const list of times.values()) {
    const sorted = list.toSorted((a, b) => a - b);
    for (const [index, at] of sorted.entries()) longest = Math.max(longest, at - (sorted[index - 1] ?? at));
  }
  return longest;
}

/** How often each word that somebody typed is in a text. */
function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.match(/\bp\d+w\d+q\b/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
