import { expect } from "vitest";
import { must } from "../../base/assert.ts";
import type { JsonObject } from "../../base/json.ts";
import { mergeFragments, type Fragment } from "./fragment.ts";
import type { CallPolicy } from "../../forest/run-rules.ts";
import { syntaxes } from "../registry.ts";
import { scan } from "../scan.ts";
import type { ReplyEnd } from "./scan-options.ts";
import { Scanner } from "../scanner.ts";
import type { SyntaxTool } from "./tools.ts";

const text: JsonObject = { type: "string" };
const texts: JsonObject = { type: "array", items: text };

function tool(
  name: string,
  access: SyntaxTool["access"],
  properties: JsonObject,
  required: readonly string[] = [],
): SyntaxTool {
  return {
    name,
    description: `The tool ${name}.`,
    access: access ?? "write",
    inputSchema: { type: "object", properties, required },
  };
}

/** The tools of the test cases. */
export const tools: readonly SyntaxTool[] = [
  tool("list_projects", "read", {}),
  tool("list_files", "read", { project: text, paths: texts }),
  tool("read_files", "read", { project: text, paths: texts }),
  tool("search_files", "read", { project: text, regex: text, limit: { type: "integer" } }),
  tool("write_file", "write", {
    project: text,
    path: text,
    content: text,
    append: { type: "boolean", default: false },
  }),
  tool("replace_in_file", "write", { project: text, path: text, diff: text }),
  tool("edit", "write", { path: text, old_text: text, new_text: text, replace_all: { type: "boolean" } }),
  tool("delete_files", "write", { paths: texts }),
  { ...tool("update_plan", "read", { plan: text }), hidden: true },
];

interface ReadOptions {
  readonly policy?: CallPolicy;
  readonly end?: ReplyEnd;
  readonly startIn?: "text" | "reasoning";
  readonly tools?: readonly SyntaxTool[];
}

/**
 * Returns the fragments of a reply after checking that every single cut, every piece size and the whole give the same.
 */
export function readEveryWay(id: string, reply: string, options: ReadOptions = {}): readonly Fragment[] {
  const grammar = must(
    must(
      syntaxes.find((syntax) => syntax.id === id),
      `there is ${id}`,
    ).grammar,
    `${id} is text`,
  );
  const scanOptions = { tools, policy: "serial-all" as const, ...options };
  const whole = scan(grammar, reply, scanOptions, options.end);
  const inPieces = (pieces: readonly string[]): readonly Fragment[] => {
    const scanner = new Scanner(grammar, scanOptions);
    const fragments = pieces.flatMap((piece) => scanner.feed(piece));
    return mergeFragments([...fragments, ...scanner.finish(options.end ?? "stopped")]);
  };
  for (let at = 1; at < reply.length; at += 1) {
    expect(inPieces([reply.slice(0, at), reply.slice(at)]), `cut at ${at}`).toEqual(whole);
  }
  for (let size = 1; size <= Math.min(reply.length, 9); size += 1) {
    const pieces = Array.from({ length: Math.ceil(reply.length / size) }, (_, n) =>
      reply.slice(n * size, (n + 1) * size),
    );
    expect(inPieces(pieces), `pieces of ${size}`).toEqual(whole);
  }
  return whole;
}

/** Summarises fragments: text unchanged, calls with their parameters, errors by code. */
export function summary(fragments: readonly Fragment[]): readonly unknown[] {
  return fragments.flatMap((one): readonly unknown[] => {
    switch (one.type) {
      case "text":
        return [one.text];
      case "reasoning":
        return [{ reasoning: one.text }];
      case "call-end":
        return [{ [one.name]: one.parameters }];
      case "call-error":
        return [{ error: one.code }];
      case "call-refused":
        return [{ refused: one.name }];
      case "hidden-call":
        return [{ hidden: one.name }];
      case "quoted-call":
        return [{ quoted: one.where }];
      case "stop":
        return ["(stop)"];
      case "call-start":
      case "parameter-start":
      case "parameter":
      case "parameter-end":
      case "markup":
      case "dropped":
        return [];
    }
  });
}

/** Returns a summary of what a reply says and calls. */
export function outcome(id: string, reply: string, options: ReadOptions = {}): readonly unknown[] {
  return summary(readEveryWay(id, reply, options));
}

/** Returns the message of the only error. */
export function problemOf(id: string, reply: string, options: ReadOptions = {}): string {
  const errors = readEveryWay(id, reply, options).flatMap((one) => (one.type === "call-error" ? [one.message] : []));
  expect(errors).toHaveLength(1);
  return errors[0] ?? "";
}
