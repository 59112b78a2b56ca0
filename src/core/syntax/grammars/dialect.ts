import * as v from "valibot";

const markMax = 160;
const pairsMax = 8;

/** A text in which a name in braces is replaced; other words in braces would never be matched. */
const mark = v.pipe(
  v.string(),
  v.maxLength(markMax, `is at most ${markMax} characters`),
  v.check((text) => text.isWellFormed(), "holds half a character"),
  v.check(
    (text) => !/\{(?!(?:name|key|index|prefix|outcome)\})\w+\}/.test(text),
    "has a word in braces that is none of {name}, {key}, {index}, {prefix} and {outcome}",
  ),
);
const written = v.pipe(mark, v.nonEmpty("must not be empty"));
const pair = v.tuple([written, mark], "must be a list of two texts: before and after");
const words = v.pipe(v.string("must be a text"), v.nonEmpty("must not be empty"), v.maxLength(2_000, "is too long"));

/** A syntax described by data: a row of the table of dialects, or a file of the folder `syntaxes`. */
export const dialectSchema = v.strictObject({
  id: v.pipe(
    v.string("must be a name"),
    v.regex(/^[a-z0-9][a-z0-9.-]{0,47}$/, "must be a name of small letters, digits, dots and hyphens"),
  ),
  title: words,
  models: v.optional(v.pipe(v.string("must be a text"), v.maxLength(2_000, "is too long")), ""),
  sources: v.optional(v.array(words), []),
  /** `tags`: a pair of tags around each value. `json`: arguments as JSON. `fence`: JSON in a fenced code block. */
  calls: v.picklist(["tags", "json", "fence"], 'must be "tags", "json" or "fence"'),
  /** Around several calls. */
  section: v.exactOptional(pair),
  /** Whether each call has a section of its own. */
  section_each: v.exactOptional(v.boolean()),
  /** Around one call; `{name}` is the tool's name, `{index}` counts the calls of a reply from 0. */
  call: v.exactOptional(v.tuple([mark, mark], "must be a list of two texts: before and after")),
  /** The word after the backquotes, for `fence`. */
  fence: v.exactOptional(v.pipe(v.string(), v.regex(/^[\w.:-]{1,40}$/, "must be one word"))),
  /** Around each value, for `tags`; `{key}` is the parameter's name. */
  value: v.exactOptional(pair),
  /** The name of a list's elements, where lists and objects may be nested elements in the marks of `value`. */
  nested_item: v.exactOptional(v.pipe(v.string(), v.regex(/^[\w-]{1,40}$/, "must be one word"))),
  /** Before a value that is JSON and no text, for `tags` that mark this. */
  typed_value: v.exactOptional(written),
  /** Other texts that `{prefix}` may be when a reply is read; the first is written. */
  prefixes: v.exactOptional(v.pipe(v.array(mark), v.minLength(1), v.maxLength(pairsMax))),
  /** How a value holds its own marks: in CDATA sections, or with `&lt;` and other entities. */
  escape: v.optional(v.picklist(["cdata", "entities"], 'must be "cdata" or "entities"'), "cdata"),
  /** Whether a value's end is inferred where the next tag begins a line. */
  infer_close: v.exactOptional(v.boolean()),
  /** Whether a call of a known tool is read without its section. */
  bare_calls: v.exactOptional(v.boolean()),
  /** Whether a call's values may be one JSON object instead. */
  json_body: v.exactOptional(v.boolean()),
  /** Before the JSON object with all arguments, where a call may be written in that way too. */
  json_call: v.exactOptional(written),
  /** Whether a call's JSON has the tool's name as its only key, with the arguments as its value. */
  name_is_key: v.exactOptional(v.boolean()),
  /** The keys of a call's JSON; without them `call` names the tool and the JSON is the arguments. */
  keys: v.exactOptional(v.strictObject({ name: words, arguments: words })),
  /** Whether the JSON is a list of calls. */
  list: v.exactOptional(v.boolean()),
  /** Further pairs of marks that are read like `call`. */
  also: v.exactOptional(v.pipe(v.array(pair), v.maxLength(pairsMax))),
  /** Marks of the model around its answer, which are no text. */
  text_marks: v.exactOptional(v.pipe(v.array(written), v.maxLength(16))),
  /** Around the model's reasoning. */
  reasoning: v.optional(v.tuple([written, written], "must be a list of two texts: before and after"), [
    "<think>",
    "</think>",
  ]),
  /** Whether a reply may hold one call or several, where nothing else is set. */
  rounds: v.optional(v.picklist(["serial-one", "parallel"], 'must be "serial-one" or "parallel"'), "serial-one"),
  /** Between written calls. */
  between: v.optional(v.pipe(v.string(), v.regex(/^\s*$/, "must be white space")), "\n"),
  /** Around a result; `{name}` is the tool, `{outcome}` how it ended. */
  results: v.optional(v.tuple([mark, mark], "must be a list of two texts: before and after"), [
    "<tool_response>\n",
    "\n</tool_response>",
  ]),
  /** The explanation in the prompt, before the tools and an example. */
  prompt: words,
});

/** A dialect with every default filled in. */
export type Dialect = v.InferOutput<typeof dialectSchema>;

/** A dialect as it is written. */
export type DialectData = v.InferInput<typeof dialectSchema>;
