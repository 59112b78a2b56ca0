/** Shortens prose by rules; returns unchanged what it cannot shorten. One paragraph, without line breaks. */
export function tightenProse(prose: string): string {
  const { masked, kept } = maskVerbatim(prose);
  const plain = plainWords(masked);
  const target = Math.floor(wordCount(masked) * 0.9);
  let short = plain;
  if (wordCount(short) > target) short = withoutAsides(short);
  if (wordCount(short) > target) short = withoutRepetition(short);
  const result = unmask(tidy(short, masked), kept);
  return result.length < prose.length && /[\p{L}\p{N}]/u.test(result) ? result : prose;
}

export function wordCount(text: string): number {
  return text.match(/\S+/gu)?.length ?? 0;
}

/** Replaces code, links, addresses, tags and formulas by placeholders, so that they stay verbatim. */
function maskVerbatim(prose: string): { readonly masked: string; readonly kept: readonly string[] } {
  const kept: string[] = [];
  const masked = prose.replaceAll(
    /(`+)(?!`)[\s\S]*?[^`]\1(?!`)|!?\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])|<[^>\n]+>|\bhttps?:\/\/\S+|\$[^$\n]+\$/gu,
    (verbatim) => {
      kept.push(verbatim);
      return String.fromCharCode(placeholderBase + kept.length - 1);
    },
  );
  return { masked, kept };
}

const placeholderBase = 0xe000;

function unmask(text: string, kept: readonly string[]): string {
  return text.replaceAll(/[\uE000-\uF8FF]/gu, (char) => kept[char.charCodeAt(0) - placeholderBase] ?? char);
}

/** Wordy phrases and their short forms, the longer phrases first. */
const phrases: readonly (readonly [string, string])[] = [
  [
    "it is (?:also )?(?:important|worth|interesting) (?:to note|noting|to mention|mentioning|to remember|to point out) that",
    "",
  ],
  ["it should (?:also )?be (?:noted|mentioned|pointed out|remembered) that", ""],
  ["it goes without saying that", ""],
  ["there is no doubt (?:whatsoever )?that", ""],
  ["please (?:note|be aware) that", ""],
  [
    "(?:as a matter of fact|needless to say|generally speaking|at the end of the day|for what it['’]s worth|all things considered),?",
    "",
  ],
  ["in (?:spite|light) of the fact that", "although"],
  ["(?:due to|because of|owing to|in view of) the fact that", "because"],
  ["for the (?:simple )?reason that", "because"],
  ["in the event that", "if"],
  ["under the circumstances in which", "when"],
  ["at (?:this|the present) (?:point in time|moment in time|time)", "now"],
  ["at (?:that|which) point in time", "then"],
  ["until such time as", "until"],
  ["(?:in order|so as) to", "to"],
  ["with the (?:aim|goal|intention|purpose) of", "for"],
  ["for the purposes? of", "for"],
  ["with (?:regards?|respect) to", "about"],
  ["in (?:regards?|relation|reference) to", "about"],
  ["on the subject of", "about"],
  ["(?:a|the) (?:large|great|huge|vast|significant) (?:number|amount|quantity) of", "many"],
  ["(?:the|a) (?:vast |great |large )?majority of", "most"],
  ["a (?:wide|broad) (?:range|variety) of", "many"],
  ["(?:has|have) the (?:ability|capability|capacity) to", "can"],
  ["(?:is|are) (?:able|in a position) to", "can"],
  ["(?:is|are) (?:going|about) to", "will"],
  ["make use of", "use"],
  ["makes use of", "uses"],
  ["utili[sz]e", "use"],
  ["utili[sz]es", "uses"],
  ["prior to", "before"],
  ["subsequent to", "after"],
  ["in the (?:near|not too distant) future", "soon"],
  ["on a (?:daily|regular) basis", "regularly"],
  ["each and every", "every"],
  ["any and all", "all"],
  ["first and foremost", "first"],
  ["one and only", "only"],
  ["various different", "various"],
  ["basic fundamentals", "basics"],
  ["end result", "result"],
  ["future plans", "plans"],
  ["past history", "history"],
  ["close proximity", "proximity"],
  ["whether or not", "whether"],
];

/** Filler words that can be dropped. */
const fillers =
  "very|really|quite|basically|actually|simply|just|literally|essentially|extremely|totally|completely|absolutely|fairly|rather|somewhat|obviously|clearly|certainly|definitely|truly|honestly|virtually|practically|particularly|especially|in fact|of course|in essence|sort of|kind of|more or less|to some extent|as such";

function plainWords(text: string): string {
  let plain = text;
  for (const [long, short] of phrases) {
    plain = plain.replaceAll(new RegExp(`(?<![\\p{L}\\p{N}])${long}(?![\\p{L}\\p{N}])`, "giu"), (found) =>
      asCapital(found, short),
    );
  }
  const withoutFillers = plain
    // A filler between commas takes one of them along.
    .replaceAll(new RegExp(`, (?:${fillers}),`, "giu"), ",")
    .replaceAll(new RegExp(`(?<=^|[.!?] )(?:${fillers}), `, "giu"), "");
  return withoutFillers.replaceAll(
    new RegExp(
      `(?:(?<![\\p{L}\\p{N}])(an?) )?(?<![\\p{L}\\p{N}'’-])(?:${fillers})(?![\\p{L}\\p{N}'’-])(?! (?:than|as)\\b)( (?=(\\S))|)`,
      "giu",
    ),
    (_found, article: string | undefined, _gap: string, next: string | undefined) => {
      if (article === undefined) return "";
      const an = /[aeiou]/iu.test(next ?? "") ? "an" : "a";
      return `${article.startsWith("A") ? an.replace("a", "A") : an} `;
    },
  );
}

/** Removes text in brackets and "which" clauses between commas. */
function withoutAsides(text: string): string {
  return text
    .replaceAll(/\s*\((?:[^()\n]{3,})\)/gu, "")
    .replaceAll(/, which [^,.;:!?]+,(?= )/giu, "")
    .replaceAll(/, (?:which means|in other words|that is to say)\b[^.!?]*(?=[.!?])/giu, "");
}

/** Drops, of three sentences and more, the sentence with the least new content; never the first. */
function withoutRepetition(text: string): string {
  const sentences = text.match(/[^.!?]+(?:[.!?]+["”’)]*(?=\s|$)|$)|[.!?]+/gu)?.map((sentence) => sentence.trim()) ?? [];
  if (sentences.length < 3) return text;
  const shares = sentences.map((sentence, at) => {
    const others = new Set(sentences.filter((_other, position) => position !== at).flatMap(contentWords));
    const own = contentWords(sentence);
    // A sentence with code or a link has content that no other has.
    if (at === 0 || /[\uE000-\uF8FF]/u.test(sentence)) return -1;
    return own.length === 0 ? 1 : own.filter((word) => others.has(word)).length / own.length;
  });
  const most = Math.max(...shares);
  if (most < 0) return text;
  const dropped = shares.lastIndexOf(most);
  return sentences.filter((_sentence, at) => at !== dropped).join(" ");
}

function contentWords(sentence: string): readonly string[] {
  return sentence.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
}

function asCapital(found: string, short: string): string {
  return /^\p{Lu}/u.test(found) ? short.charAt(0).toUpperCase() + short.slice(1) : short;
}

/** Tidies up after the removals: blanks, commas, and the upper-case letter at the start of a sentence. */
function tidy(text: string, before: string): string {
  const mended = text
    .replaceAll(/[ \t]{2,}/gu, " ")
    .replaceAll(/ +([,.;:!?])/gu, "$1")
    .replaceAll(/([,;:])\1+/gu, "$1")
    .replaceAll(/(^|[.!?]\s+)[,;:]\s*/gu, "$1")
    .trim();
  const capital = /^\W*\p{Lu}/u.test(before);
  return mended.replaceAll(/(^|[.!?]\s+)(\p{Ll})/gu, (found, lead: string, letter: string, at: number) => {
    if (at === 0 && !capital) return found;
    // A small letter that was there before is deliberate, as in "e.g. this".
    return at > 0 && before.includes(found) ? found : lead + letter.toUpperCase();
  });
}
