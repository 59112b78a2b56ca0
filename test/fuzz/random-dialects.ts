import fc from "fast-check";
import type { DialectData } from "../../src/core/syntax/grammars/dialect.ts";

/** How the marks of a dialect look: around a word, before and after. */
const shapes = {
  tags: (word: string) => [`<${word}>`, `</${word}>`],
  spaced: (word: string) => [`<x: ${word}>`, `</x: ${word}>`],
  tokens: (word: string) => [`<|${word}_begin|>`, `<|${word}_end|>`],
  wide: (word: string) => [`<｜${word}▁begin｜>`, `<｜${word}▁end｜>`],
  brackets: (word: string) => [`[${word.toUpperCase()}_CALL]`, `[/${word.toUpperCase()}_CALL]`],
} as const satisfies Record<string, (word: string) => readonly [string, string]>;

const word = fc.stringMatching(/^[a-z]{4,9}$/);

/** Dialects as a person might describe them: any shape of marks, with and without sections, in each of the three kinds. */
export const anyDialect: fc.Arbitrary<DialectData> = fc
  .record({
    kind: fc.constantFrom("tags", "attributes", "entities", "named", "keyed", "list", "fence"),
    shape: fc.constantFrom(...(Object.keys(shapes) as (keyof typeof shapes)[])),
    words: fc.uniqueArray(word, { minLength: 5, maxLength: 5 }),
    hasSection: fc.boolean(),
    hasLines: fc.boolean(),
    isTyped: fc.boolean(),
    rounds: fc.constantFrom("serial-one" as const, "parallel" as const),
    ownReasoning: fc.boolean(),
    answer: fc.constantFrom("none", "marked", "on lines of its own"),
  })
  .map(({ kind, shape, words, hasSection, hasLines, isTyped, rounds, ownReasoning, answer }) => {
    const [outer = "", inner = "", field = "", thought = "", spoken = ""] = words;
    const pair = (name: string): [string, string] => [...shapes[shape](name)];
    const line = hasLines ? "\n" : "";
    const [answerOpen, answerClose] = pair(spoken);
    const textMarks = answer === "marked" ? [answerOpen, answerClose] : [`${answerOpen}\n`, `\n${answerClose}`];
    const [callOpen, callClose] = pair(inner);
    const common = {
      id: "random",
      title: "Random",
      rounds,
      prompt: "Call a tool like this.",
      ...(ownReasoning ? { reasoning: pair(thought) } : {}),
      ...(answer === "none" ? {} : { text_marks: textMarks }),
    };
    const section = hasSection ? { section: pair(outer) } : {};
    switch (kind) {
      case "tags":
        return {
          ...common,
          ...section,
          calls: "tags",
          call: [`<${inner}={name}>${line}`, `</${inner}>`],
          value: [`<${field}={key}>${line}`, `${line}</${field}>`],
        };
      case "attributes":
        return {
          ...common,
          ...section,
          calls: "tags",
          call: [`<${inner} name="{name}">${line}`, `</${inner}>`],
          value: [`<${field} name="{key}"${isTyped ? ' kind="text"' : ""}>`, `</${field}>${line}`],
          ...(isTyped ? { typed_value: `<${field} name="{key}" kind="json">` } : {}),
        };
      case "entities":
        return {
          ...common,
          ...section,
          calls: "tags",
          escape: "entities",
          call: [`<${inner} is="{name}">`, `</${inner}>`],
          value: [`<${field} is="{key}">`, `</${field}>`],
          typed_value: `<${field} is="{key}" json>`,
        };
      case "named":
        return { ...common, ...section, calls: "json", call: [`${callOpen}{name}${pair(field)[0]}${line}`, callClose] };
      case "keyed":
        return {
          ...common,
          calls: "json",
          call: [`${callOpen}${line}`, callClose],
          keys: { name: "tool", arguments: "with" },
        };
      case "list":
        return { ...common, calls: "json", call: [callOpen, callClose], list: true };
      case "fence":
        return { ...common, calls: "fence", fence: inner };
    }
  });
