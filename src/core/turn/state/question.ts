/** One of the options that a model offers. */
interface QuestionOption {
  readonly label: string;
  readonly description?: string;
  /** What choosing it would give, as Markdown. */
  readonly preview?: string;
}

/**
 * A model's question to a person. A call asks 1 to 4 of them, each with 2 to 4 options; any other words are an answer
 * too.
 */
export interface Question {
  readonly question: string;
  readonly options: readonly QuestionOption[];
  /** Whether several options may be chosen. */
  readonly multiple: boolean;
}

/** A person's answer to one question. */
export interface Answer {
  /** Labels of options, or the person's own words; at least one. */
  readonly chosen: readonly string[];
  readonly note?: string;
}
