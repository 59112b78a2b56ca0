import { counted } from "../../../core/base/counted.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Store } from "../../../core/port/store.ts";
import { firstBrokenEntry, type AuditEntry } from "../../../core/rights/audit.ts";
import { auditFormats, auditHeading, auditLines, type AuditFormat } from "../../../core/rights/audit-text.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { styled, userOf, type Terminal } from "../base/terminal.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { writeNamedFile } from "../base/write-named-file.ts";
import { openDataToRead } from "../start/open-data.ts";

export const auditForm: CommandForm = {
  name: "audit",
  values: ["data", "store", "action", "format", "to"],
  switches: ["json"],
  argument: "action",
};

export const auditHelp = `heddle audit: who did what in a team's workspace

Examples
  heddle audit export > audit.jsonl            one entry in each line
  heddle audit export --format csv --to audit.csv
  heddle audit verify                          exit code 1 where an entry was changed or is missing

Entries have people's ids and what was changed, no texts and no secrets. Each carries the hash of the one before; JSON
Lines keep that provable. Works while the server runs. An owner downloads the same in the settings of the app.

Flags
  --format F    jsonl or csv; default: jsonl
  --to FILE     write to FILE instead of standard output
  --json        machine-readable output of verify
  --data DIR    the data folder to read      HEDDLE_DATA
  --store URL   the database to read         HEDDLE_DATABASE_URL`;

/** Entries that are read at once. */
const pageSize = 1000;

/** Exports or verifies the audit log. The exit code is 1 where its chain is broken. */
export async function auditCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const { action = "", format = "jsonl", to, ...flags } = line.values;
  const known = auditFormats.find((each) => each === format);
  if ((action !== "export" && action !== "verify") || known === undefined) {
    const message = 'It is "heddle audit export" with --format jsonl or csv, or "heddle audit verify".';
    return printRefusal(terminal, refusal("INVALID_PARAMS", { action, format }, message));
  }
  const settings = loadConfiguration(flags, userOf(terminal));
  const data = settings.ok ? await openDataToRead(settings.value) : settings;
  if (!data.ok) return printRefusal(terminal, data.error);
  try {
    const { store } = data.value;
    const read = action === "export" ? await exportLog(store, { format: known, to, terminal }) : await verified(store);
    return read.ok ? tell(read.value, line, terminal) : printRefusal(terminal, read.error);
  } finally {
    await data.value.close();
  }
}

interface Walked {
  readonly entries: number;
  /** The number of the first entry that does not follow from those before it. */
  readonly broken: number | null;
}

/** Grows while the log is read. */
type Walk = { -readonly [Key in keyof Walked]: Walked[Key] };

function tell({ entries, broken }: Walked, { values, switches }: CommandLine, terminal: Terminal): number {
  if (values["action"] === "verify" && switches.has("json")) terminal.print(JSON.stringify({ entries, broken }));
  else if (broken === null)
    terminal.note(styled(terminal, "dim", `${counted(entries, "entry", "entries")}, none changed.`));
  else {
    const what = `Entry ${broken} of the audit log does not follow from the one before: it was changed, or one is missing.`;
    terminal.note(styled(terminal, "red", what));
  }
  return broken === null ? 0 : 1;
}

interface Export {
  readonly format: AuditFormat;
  readonly to: string | undefined;
  readonly terminal: Terminal;
}

async function exportLog(store: Store, { format, to, terminal }: Export): Promise<Result<Walked, Refusal>> {
  const walked: Walk = { entries: 0, broken: null };
  const text = logText(store, format, walked);
  if (to === undefined) {
    for await (const lines of text) if (lines !== "") terminal.print(lines.replace(/\r?\n$/u, ""));
    return ok(walked);
  }
  try {
    // Other people of the machine do not read who did what.
    await writeNamedFile(to, text);
    return ok(walked);
  } catch (problem) {
    return err(refusal("STORE_FAILED", { path: to }, `${to} could not be written: ${reasonOf(problem)}`));
  }
}

async function* logText(store: Store, format: AuditFormat, walked: Walk): AsyncGenerator<string, void, undefined> {
  yield auditHeading(format);
  for await (const entries of walk(store, walked)) {
    yield auditLines(entries, format, (at) => new Date(at).toISOString());
  }
}

async function verified(store: Store): Promise<Result<Walked, Refusal>> {
  const walked: Walk = { entries: 0, broken: null };
  for await (const _ of walk(store, walked));
  return ok(walked);
}

/** Reads the whole log in pieces, and finds where its chain breaks. */
async function* walk(
  store: Pick<Store, "audit">,
  walked: Walk,
): AsyncGenerator<readonly AuditEntry[], void, undefined> {
  let last: AuditEntry | null = null;
  for (;;) {
    const page: readonly AuditEntry[] = await store.audit(last?.seq ?? 0, pageSize);
    walked.broken ??= firstBrokenEntry(page, last);
    walked.entries += page.length;
    yield page;
    last = page.at(-1) ?? last;
    if (page.length < pageSize) return;
  }
}
