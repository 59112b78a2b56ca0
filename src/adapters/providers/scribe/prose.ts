import { must } from "../../../core/base/assert.ts";
import { sha256Hex } from "../../../core/base/hash.ts";

/** Writes a section on a topic as Markdown lines without a heading. The same topic always gets the same text. */
export function sectionProse(topic: string): readonly string[] {
  const pick = picker(topic);
  const opening = pick(openings);
  const first = pick(middles);
  const second = pick(middles.filter((sentence) => sentence !== first));
  const closing = pick(closings);
  const paragraph = fill([opening, first], topic);
  if (pick([true, false])) return [paragraph, "", fill([second, closing], topic)];
  return [paragraph, "", fill([pick(listLeads)], topic), "", ...pick(lists), "", fill([closing], topic)];
}

/** Writes one paragraph on a topic as one line of Markdown. */
export function paragraphProse(topic: string): string {
  const pick = picker(`${topic}\n`);
  return fill([pick(openings), pick(middles), pick(closings)], topic);
}

/** Writes the paragraph that opens or closes a document, from the names of its parts. */
export function frameProse(
  frame: "introduction" | "conclusion",
  title: string | undefined,
  parts: readonly string[],
): string {
  const [first, ...rest] = parts.map((part) => `“${part}”`);
  const last = rest.at(-1);
  const middle = rest.slice(0, -1);
  if (frame === "introduction") {
    const opening =
      title === undefined ? "This document brings together what we know so far." : `This document is about “${title}”.`;
    if (first === undefined) return `${opening} It is at its beginning, and will grow from here.`;
    if (last === undefined) return `${opening} So far it has one part, ${first}.`;
    return `${opening} It begins with ${first}${middle.length === 0 ? "" : `, goes on to ${listed(middle)}`} and ends with ${last}. Each part can be read by itself.`;
  }
  const looking =
    first === undefined ? "This document is at its beginning." : `We have looked at ${listed([first, ...rest])}.`;
  return `${looking} What is settled can be put into practice now; what is open should be tried on a small scale first. Whatever comes of it belongs here, so that the next reader starts from what we have learnt.`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

/** The topic is the object of every sentence, so that singular and plural both read well. */
const openings: readonly string[] = [
  "This section sets out what we mean by {topic} and why it belongs here.",
  "Sooner or later every reader of this document comes to {topic}.",
  "Much of what follows depends on {topic}, so it is worth a few plain words.",
  "We treat {topic} as a question of its own, because it touches several of the others.",
  "Before we go further, a word about {topic}.",
];

const middles: readonly string[] = [
  "The plan is to start with the smallest version of {topic} that works, and to widen it once there is evidence that it helps.",
  "When we talk about {topic}, we write down what was decided, who decided it, and what would make us think again.",
  "Good practice around {topic} is easy to recognise: it makes the next step obvious and mistakes cheap to undo.",
  "Most of the difficulty with {topic} comes from leaving the rules unspoken; stating them early costs little.",
  "Nobody has to master {topic} at once, as long as each change leaves things clearer than before.",
  "What we already know about {topic} is recorded here, and what we only suspect is marked as such.",
];

const closings: readonly string[] = [
  "If anything about {topic} turns out differently in practice, this section is the place to say so.",
  "We will look at {topic} again when the first results are in.",
  "Questions about {topic} are welcome and should end up here, together with their answers.",
  "That is enough on {topic} for a first version; details can follow as they come up.",
];

const listLeads: readonly string[] = [
  "Three questions guide the work on {topic}:",
  "Any proposal about {topic} should answer three questions:",
];

const lists: readonly (readonly string[])[] = [
  [
    "- What is the aim, and who can say that it is reached?",
    "- What is left out on purpose?",
    "- Who decides when opinions differ?",
  ],
  [
    "- What happens today, without any change?",
    "- What is the simplest thing that would be better?",
    "- How will we notice if it goes wrong?",
  ],
];

function fill(sentences: readonly string[], topic: string): string {
  // A replacement function, since a topic may hold characters that a replacement string treats as special.
  return sentences.map((sentence) => sentence.replaceAll("{topic}", () => topic)).join(" ");
}

/** Returns a picker whose choices from lists depend on the topic. */
function picker(topic: string): <Choice>(choices: readonly Choice[]) => Choice {
  const hash = sha256Hex(topic);
  let at = 0;
  return <Choice>(choices: readonly Choice[]): Choice => {
    const number = Number.parseInt(hash.slice(at * 4, at * 4 + 4), 16);
    at += 1;
    return must(choices[number % choices.length], "a list to pick from is not empty");
  };
}
