/** One of the options that a model offers. */
interface QuestionOption {
  readonly label: string;
  readonly description?: string;
  /** What choosing it would give, as Markdown. */
  readonly preview?: string;
}

/**
 * A question to a person. A model asks 1 to 4 of them in a call, each with 2 to 4 options, and any other words are an answer
 * too; a program that a call runs asks with as many options as it likes, or none.
 */
export interface Question {
  readonly question: string;
  readonly options: readonly QuestionOption[];
  /** Whether several options may be chosen. */
  readonly multiple: boolean;
  /** The person may leave it without an answer. */
  readonly optional?: true;
  /** An address that a program asks the person to open. It is shown whole, and opened by the person alone. */
  readonly url?: string;
}

/** A person's answer to one question. */
export interface Answer {
  /** Labels of options, or the person's own words; empty only for an optional question. */
  readonly chosen: readonly string[];
  readonly note?: string;
}
