import type { Syntax, Writing } from "./base/syntax.ts";

/** The longest template that is looked at, in characters. */
const templateUnitsMax = 400_000;
/** Marks shorter than this are in too many texts to say anything. */
const markUnitsMin = 6;

/**
 * Returns the syntax whose marks a model's chat template holds; null when no known syntax has all of its marks there.
 * Of several, the one with the longest marks counts: `<tool_call>` alone is in many templates.
 */
export function recogniseSyntax(template: string, known: readonly Syntax[]): Syntax | null {
  const text = plain(withVariables(template.slice(0, templateUnitsMax)));
  let best: { readonly syntax: Syntax; readonly units: number } | null = null;
  for (const syntax of known) {
    const marks = syntax.tier === "model" ? (syntax.templateMarks ?? marksOf(syntax.writing)).map(plain) : [];
    if (marks.length === 0 || !marks.every((mark) => text.includes(mark))) continue;
    const units = [...new Set(marks)].reduce((sum, mark) => sum + mark.length, 0);
    if (best === null || units > best.units) best = { syntax, units };
  }
  return best?.syntax ?? null;
}

const variablesMax = 64;

/** Puts the values of variables that hold a text where the template names them. */
function withVariables(template: string): string {
  const set = [...template.matchAll(/\bset\s+(\w+)\s*=\s*(["'])((?:(?!\2)[^\n]){1,60})\2/g)].slice(0, variablesMax);
  let text = template;
  for (const [, name = "", , value = ""] of set) {
    const named = new RegExp(`\\b${name}\\b(?=\\s*(?:[~+]|-?\\}\\}))|(?<=[~+]\\s{0,4})\\b${name}\\b`, "g");
    text = text.replaceAll(named, () => `'${value}'`);
  }
  return text;
}

/** Templates build marks from pieces and write JSON with or without blanks: neither counts, and neither do escapes. */
function plain(text: string): string {
  return text
    .replaceAll(/\\n/g, "")
    .replaceAll(/\\(["'])/g, "$1")
    .replaceAll(/["']\s*(?:[+~]|<<)\s*["']/g, "")
    .replaceAll(/\{\{-?\s*'([^'\n]*)'\s*-?\}\}/g, "$1")
    .replaceAll(/\s+/g, "");
}

/** The literal marks of written calls, without names, white space and what is too short to tell. */
function marksOf(writing: Writing): readonly string[] {
  const literals = (...templates: readonly string[]): readonly string[] =>
    templates
      .flatMap((template) => template.split(/\{\w+\}|(?<=[>|｜]>)|(?<=>)(?=<)|(?=<[|｜])|\s*\n\s*/))
      .map(plain)
      // What begins with a quote is the rest of a tag with attributes, which templates choose.
      .filter((mark) => mark.length >= markUnitsMin && !/^["']/.test(mark));
  switch (writing.type) {
    case "native":
    case "caret":
      return [];
    case "json": {
      const marks = literals(...writing.wrapper, ...writing.call);
      const keys = writing.keys === null ? [] : [`"${writing.keys.name}"`, `"${writing.keys.arguments}"`];
      return marks.length === 0 ? [] : [...marks, ...keys];
    }
    case "fields":
      return literals(...writing.wrapper, ...writing.call, ...writing.field);
    case "arguments":
      return literals(...writing.wrapper, ...writing.call);
  }
}
