import * as v from "valibot";
import { expect, test } from "vitest";
import { commands } from "./commands.ts";

type Schema = v.GenericSchema;

/** Finds the schemas within a value that have examples. */
function withExamples(value: unknown, seen = new Set<unknown>()): readonly Schema[] {
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  const inner = Object.values(value).flatMap((part) => withExamples(part, seen));
  const { pipe } = value as { readonly pipe?: readonly { readonly type: string }[] };
  return pipe?.some(({ type }) => type === "examples") === true ? [value as Schema, ...inner] : inner;
}

test.each(Object.entries(commands))(
  "%s accepts each example that its description gives of a parameter",
  (_name, row) => {
    for (const schema of withExamples(row.params)) {
      const examples = v.getExamples(schema as never) as readonly unknown[];
      expect(examples).not.toEqual([]);
      for (const example of examples) expect([example, v.safeParse(schema, example).success]).toEqual([example, true]);
    }
  },
);
