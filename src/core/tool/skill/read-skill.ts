import { err, ok, type Result } from "../../base/result.ts";

/** A way of working that is written down: a folder with a SKILL.md. */
export interface Skill {
  readonly name: string;
  /** What it is for and when to use it; models read it before they load the skill. */
  readonly description: string;
  /** The text after the head. */
  readonly body: string;
}

const nameForm = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const descriptionUnitsMax = 1_024;

/**
 * Reads a SKILL.md: a head between two lines `---` with `name` and `description`, then the body. Of YAML it knows plain,
 * quoted and folded values on the top level, and nothing that refers or expands. The error is why it is no skill.
 */
export function readSkill(text: string): Result<Skill, string> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = lines.indexOf("---", 1);
  if (lines[0]?.trimEnd() !== "---" || end === -1) return err("it does not begin with a head between two lines ---");
  const fields = fieldsOf(lines.slice(1, end));
  const name = fields.get("name") ?? "";
  const description = fields.get("description") ?? "";
  if (!nameForm.test(name)) return err("its name is not 1 to 64 lowercase letters, digits and hyphens");
  if (description === "") return err("it has no description");
  return ok({
    name,
    description: description.slice(0, descriptionUnitsMax).toWellFormed(),
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  });
}

/** Returns the values of the top level as one line each; indented lines continue the value above. */
function fieldsOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let key: string | null = null;
  for (const line of lines) {
    const field = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/.exec(line);
    if (field !== null) {
      const [, name = "", given = ""] = field;
      key = fields.has(name) ? null : name;
      if (key !== null) fields.set(key, /^[|>][+-]?$/.test(given.trim()) ? "" : unquoted(given.trim()));
    } else if (key !== null && /^\s+\S/.test(line)) {
      fields.set(key, `${fields.get(key) ?? ""} ${line.trim()}`.trim());
    } else if (line.trim() !== "") {
      key = null;
    }
  }
  return fields;
}

function unquoted(value: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(value);
  return quoted === null ? value : (quoted[2] ?? "").replaceAll(quoted[1] === '"' ? '\\"' : "''", quoted[1] ?? "");
}
