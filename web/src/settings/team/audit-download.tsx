import { useState } from "react";
import type { AuditEntry } from "../../../../src/core/rights/audit.ts";
import { auditHeading, auditLines, type AuditFormat } from "../../../../src/core/rights/audit-text.ts";
import { saveFile } from "../../browser/save-file.ts";
import { ask } from "../../browser/account/sign-in-api.ts";
import { useApp } from "../../ui/app-context.ts";

interface Page {
  readonly entries: readonly AuditEntry[];
  readonly more: boolean;
}

/** Lets an owner download the audit log. */
export function AuditDownload() {
  const { announce, tell } = useApp();
  const [busy, setBusy] = useState<AuditFormat | null>(null);
  const download = async (format: AuditFormat): Promise<void> => {
    setBusy(format);
    const read = await readLog(format);
    setBusy(null);
    if (typeof read === "string") return tell(read);
    saveFile(`heddle-audit.${format}`, read.blob);
    announce(`The audit log is downloaded: ${read.count} entries.`);
  };
  return (
    <div role="group" aria-label="Audit log">
      <p>
        <strong>Audit log</strong>{" "}
        <span className="quiet">Who signed in, changed rights or was refused. It has no texts and no secrets.</span>
      </p>
      <div className="button-row">
        <button
          type="button"
          className="button small"
          aria-busy={busy === "csv"}
          disabled={busy !== null}
          onClick={() => void download("csv")}
        >
          Download as CSV
        </button>
        <button
          type="button"
          className="button small"
          aria-busy={busy === "jsonl"}
          disabled={busy !== null}
          onClick={() => void download("jsonl")}
        >
          Download as JSON Lines
        </button>
      </div>
    </div>
  );
}

/** Reads the whole log, a page at a time; a text says why not. */
async function readLog(format: AuditFormat): Promise<{ readonly blob: Blob; readonly count: number } | string> {
  const parts = [auditHeading(format)];
  let count = 0;
  let after = 0;
  for (;;) {
    const page = await ask<Page>("/audit", { after });
    if (!page.ok) return page.message;
    const { entries, more } = page.value;
    parts.push(auditLines(entries, format, (at) => new Date(at).toISOString()));
    count += entries.length;
    after = entries.at(-1)?.seq ?? after;
    if (!more) return { blob: new Blob(parts, { type: format === "csv" ? "text/csv" : "application/jsonl" }), count };
  }
}
