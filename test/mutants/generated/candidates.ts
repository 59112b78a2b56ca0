import { parseSync } from "vite";
import type { Edit } from "./weave.ts";

/** One small defect that can be put into a source file. */
export interface Candidate {
  /** The source file, from the repository's root. */
  readonly file: string;
  readonly line: number;
  /** The nearest function, method or class around it by name; empty at the top of the file. */
  readonly within: string;
  /** The code that changes, with each run of white space as one space. */
  readonly before: string;
  readonly after: string;
  readonly edit: Edit;
}

/** The fields of a syntax node (ESTree) that are looked at here. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

type Slice = (start: number, end: number) => string;

/** Finds every candidate of a source file, in the order of the file. The same text gives the same candidates. */
export function findCandidates(file: string, text: string): readonly Candidate[] {
  const parsed = parseSync(file, text);
  if (parsed.errors.length > 0) throw new Error(`${file} cannot be parsed`);
  const finder = new Finder(file, text);
  finder.visit(parsed.program as unknown as SyntaxNode, undefined, "");
  return finder.found;
}

const comparisons: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
};

class Finder {
  readonly found: Candidate[] = [];
  readonly #file: string;
  readonly #text: string;
  #within = "";

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  visit(node: SyntaxNode, parent: SyntaxNode | undefined, field: string): void {
    // Types have no effect when the program runs; only the code inside them is visited.
    if (node.type.startsWith("TS") && asNode(node["expression"]) === undefined) return;
    const within = this.#within;
    this.#within = nameOf(node, parent) ?? within;
    this.#negate(node);
    this.#compare(node, parent, field);
    this.#shift(node, parent, field);
    this.#swap(node);
    this.#drop(node);
    this.#returnEarly(node);
    this.#empty(node, parent);
    for (const [key, value] of Object.entries(node)) {
      if (key === "parent") continue;
      for (const child of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
        const inner = asNode(child);
        if (inner !== undefined) this.visit(inner, node, key);
      }
    }
    this.#within = within;
  }

  /** Negates the condition of a branch or of a loop. */
  #negate(node: SyntaxNode): void {
    const test = asNode(node["test"]);
    if (test === undefined || test.type === "Literal" || node.type === "SwitchCase") return;
    const shown = node.type === "ConditionalExpression" ? "" : `${this.#keyword(node)} `;
    this.#add({
      node: test,
      before: `${shown}(${this.#textOf(test)})`,
      after: `${shown}(!(${this.#textOf(test)}))`,
      render: (active, slice) => `(!(${slice(test.start, test.end)}) === ${active})`,
    });
  }

  /** Moves the bound of a comparison by one, or turns an equality round where it is no whole condition. */
  #compare(node: SyntaxNode, parent: SyntaxNode | undefined, field: string): void {
    if (node.type !== "BinaryExpression") return;
    const operator = String(node["operator"]);
    const other = comparisons[operator];
    if (other === undefined || (operator.endsWith("==") && field === "test" && parent?.type !== "SwitchCase")) return;
    this.#replaceOperator(node, operator, other, (text) => text);
  }

  /** Swaps `&&` and `||`. */
  #swap(node: SyntaxNode): void {
    if (node.type !== "LogicalExpression" || node["operator"] === "??") return;
    const operator = String(node["operator"]);
    this.#replaceOperator(node, operator, operator === "&&" ? "||" : "&&", (text) => `(${text})`);
  }

  /** Adds or subtracts 0 for 1. The step of a `for` is left alone: it would only end never. */
  #shift(node: SyntaxNode, parent: SyntaxNode | undefined, field: string): void {
    const operator = String(node["operator"]);
    if (node.type !== "BinaryExpression" && node.type !== "AssignmentExpression") return;
    if (!/^[+-]=?$/.test(operator) || (parent?.type === "ForStatement" && field === "update")) return;
    const right = asNode(node["right"]);
    if (right?.type !== "Literal" || right["value"] !== 1) return;
    this.#add({
      node: right,
      before: this.#textOf(node),
      after: `${collapse(this.#text.slice(node.start, right.start))}0`,
      render: (active) => `(${active} ? 0 : 1)`,
    });
  }

  /** Drops a statement, or an `if` without `else` with all that it guards. */
  #drop(node: SyntaxNode): void {
    if (node.type === "ExpressionStatement") {
      const expression = asNode(node["expression"]);
      // A directive, a call of the parent's constructor, and what is never to happen: `assert` only tells of defects.
      if (typeof node["directive"] === "string" || /^(?:super\(|assert)/.test(this.#textOf(node))) return;
      if (expression === undefined) return;
    } else if (node.type !== "IfStatement" || asNode(node["alternate"]) !== undefined) return;
    this.#add({
      node,
      before: this.#textOf(node),
      after: "",
      render: (active, slice) => `{ if (!${active}) ${slice(node.start, node.end)} }`,
    });
  }

  /** Returns at once from a function that gives nothing, or gives always the same truth. */
  #returnEarly(node: SyntaxNode): void {
    const body = asNode(node["body"]);
    if (body?.type !== "BlockStatement" || node["generator"] === true || node["returnType"] === undefined) return;
    const declared = asNode(node["returnType"]);
    if (declared === undefined) return;
    const type = this.#textOf(declared).replace(/^:\s*/, "");
    const statements = (body["body"] as readonly unknown[]).length;
    const values = /^(?:void|Promise<void>)$/.test(type)
      ? statements > 1
        ? ["return;"]
        : []
      : /^(?:boolean|Promise<boolean>)$/.test(type)
        ? ["return true;", "return false;"]
        : [];
    for (const value of values) {
      this.#add({
        node: { type: "Insertion", start: body.start + 1, end: body.start + 1 },
        before: `${this.#within}() {`,
        after: `${this.#within}() { ${value}`,
        render: (active) => ` if (${active}) ${value} `,
      });
    }
  }

  /** Empties a list; not the pairs inside a list, nor a pair that an arrow gives. */
  #empty(node: SyntaxNode, parent: SyntaxNode | undefined): void {
    if (node.type !== "ArrayExpression" || (node["elements"] as readonly unknown[]).length === 0) return;
    if (parent?.type === "ArrayExpression" || parent?.type === "ArrowFunctionExpression") return;
    this.#add({
      node,
      before: this.#textOf(node),
      after: "[]",
      render: (active, slice) => `(${active} ? [] : ${slice(node.start, node.end)})`,
    });
  }

  #replaceOperator(node: SyntaxNode, operator: string, other: string, wrap: (text: string) => string): void {
    const left = asNode(node["left"]);
    const right = asNode(node["right"]);
    if (left === undefined || right === undefined) return;
    const join = (sign: string, slice: Slice): string =>
      `${wrap(slice(left.start, left.end))} ${sign} ${wrap(slice(right.start, right.end))}`;
    const plain: Slice = (start, end) => collapse(this.#text.slice(start, end));
    this.#add({
      node,
      before: `${plain(left.start, left.end)} ${operator} ${plain(right.start, right.end)}`,
      after: `${plain(left.start, left.end)} ${other} ${plain(right.start, right.end)}`,
      render: (active, slice) => `(${active} ? ${join(other, slice)} : ${join(operator, slice)})`,
    });
  }

  #add(change: {
    readonly node: SyntaxNode;
    readonly before: string;
    readonly after: string;
    readonly render: Edit["render"];
  }): void {
    const { node, before, after, render } = change;
    this.found.push({
      file: this.#file,
      line: this.#text.slice(0, node.start).split("\n").length,
      within: this.#within,
      before,
      after,
      edit: { start: node.start, end: node.end, render },
    });
  }

  #keyword(node: SyntaxNode): string {
    return /^[a-z]+/.exec(this.#text.slice(node.start, node.end))?.[0] ?? "";
  }

  #textOf(node: SyntaxNode): string {
    return collapse(this.#text.slice(node.start, node.end));
  }
}

function collapse(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

function asNode(value: unknown): SyntaxNode | undefined {
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  return typeof value.type === "string" ? (value as SyntaxNode) : undefined;
}

/** The name that a function, method or class has, or gets from what it is assigned to. */
function nameOf(node: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  const isFunction = /Function(?:Declaration|Expression)$/.test(node.type);
  if (!isFunction && !/^Class(?:Declaration|Expression)$/.test(node.type)) return undefined;
  const named = asNode(node["id"]) ?? asNode(parent?.["key"]) ?? (isFunction ? asNode(parent?.["id"]) : undefined);
  const name = named?.["name"];
  if (typeof name !== "string") return undefined;
  return named?.type === "PrivateIdentifier" ? `#${name}` : name;
}
