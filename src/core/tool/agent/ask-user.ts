import * as v from "valibot";
import { noReach } from "../base/reach.ts";
import type { ToolSpec } from "../base/types.ts";

/** How many questions one call may ask, and how many options a question may offer. */
const questionsMax = 4;
const optionsMin = 2;
/** The most options of a question. */
const optionsMax = 4;

const text = (unitsMax: number) => v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(unitsMax));

/** An answer names options and questions by their text, so no two may be equal. */
function areDistinct(words: readonly string[]): boolean {
  return new Set(words).size === words.length;
}

const option = v.strictObject({
  label: v.pipe(text(200), v.description("A few words that name the choice.")),
  description: v.optional(v.pipe(text(2_000), v.description("What choosing it means."))),
  preview: v.optional(v.pipe(text(20_000), v.description("Markdown: what it would look like."))),
});

const question = v.strictObject({
  question: v.pipe(text(2_000), v.description("A whole question.")),
  options: v.pipe(
    v.array(option),
    v.minLength(optionsMin),
    v.maxLength(optionsMax),
    v.check((options) => areDistinct(options.map(({ label }) => label)), "must each have a label of their own"),
  ),
  multiple: v.optional(v.pipe(v.boolean(), v.description("Whether several options may be chosen.")), false),
});

/** Asks the person questions; the turn waits for the answer. */
export const askUser = {
  name: "ask_user",
  description:
    "Asks the person 1 to 4 questions, each with 2 to 4 options, and waits for the answers. They may also answer in their own words, or decline. Call it alone in a reply, and only where you cannot decide by yourself and a wrong guess would cost much.",
  input: v.strictObject({
    questions: v.pipe(
      v.array(question),
      v.minLength(1),
      v.maxLength(questionsMax),
      v.check((questions) => areDistinct(questions.map(({ question: asked }) => asked)), "must not repeat a question"),
    ),
  }),
  access: "read",
  reach: noReach,
  idempotent: true,
} as const satisfies ToolSpec;
