import { canonicalJson } from "../base/json.ts";
import type { AuditEntry } from "./audit.ts";

/** The forms in which the audit log leaves Heddle: JSON Lines keep its chain provable, CSV is for spreadsheets. */
export const auditFormats = ["jsonl", "csv"] as const;
export type AuditFormat = (typeof auditFormats)[number];

/** Writes a time of UTC milliseconds. */
type TimeText = (at: number) => string;

const columns: readonly (readonly [
  name: string,
  of: (entry: AuditEntry, timeText: TimeText) => string | number | null | undefined,
])[] = [
  ["seq", ({ seq }) => seq],
  ["at", ({ at }, timeText) => timeText(at)],
  ["actor", ({ actor }) => actor],
  ["act", ({ act }) => act],
  ["object", ({ object }) => object],
  ["outcome", ({ outcome }) => outcome],
  ["credential", ({ credential }) => credential],
  ["address", ({ address }) => address],
  ["run", ({ through }) => through?.runId],
  ["turn", ({ through }) => through?.turnId],
  ["call", ({ through }) => through?.callId],
  ["rights_seq", ({ rightsSeq }) => rightsSeq],
  ["before", ({ before }) => (before === null ? null : canonicalJson(before))],
  ["after", ({ after }) => (after === null ? null : canonicalJson(after))],
  ["previous_hash", ({ previousHash }) => previousHash],
  ["hash", ({ hash }) => hash],
];

/** What an exported audit log begins with. */
export function auditHeading(format: AuditFormat): string {
  return format === "jsonl" ? "" : `${columns.map(([name]) => name).join(",")}\r\n`;
}

/** Writes entries of the audit log, a line for each. */
export function auditLines(entries: readonly AuditEntry[], format: AuditFormat, timeText: TimeText): string {
  if (format === "jsonl") return entries.map((entry) => `${canonicalJson({ ...entry })}\n`).join("");
  return entries.map((entry) => `${columns.map(([, of]) => cellOf(of(entry, timeText))).join(",")}\r\n`).join("");
}

/** A cell by RFC 4180. A spreadsheet would run a text that begins like a formula, so an apostrophe goes before it. */
function cellOf(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
