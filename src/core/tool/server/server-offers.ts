/** A resource that a server offers to be read. Every word of it is foreign text. */
export interface ServerResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mediaType: string | null;
}

/** A value that a prompt takes. */
export interface PromptParameter {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** A prompt that a server offers, to be filled in and sent by a person. */
export interface ServerPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly PromptParameter[];
}

/** What a server offers to people. */
export interface ServerOffers {
  readonly resources: readonly ServerResource[];
  readonly prompts: readonly ServerPrompt[];
}

/** One part of a resource that was read: a text, or bytes in base64. */
export interface ResourceContent {
  readonly uri: string;
  readonly mediaType: string | null;
  readonly content: { readonly text: string } | { readonly data: string };
  /** The origins that a view (MCP Apps) says it needs: to connect to, and to load pictures, styles and fonts from. */
  readonly origins?: { readonly connect: readonly string[]; readonly load: readonly string[] };
}

/** A prompt that was filled in: its words, and what they bring along. */
export interface FilledPrompt {
  readonly text: string;
  readonly attached: readonly ResourceContent[];
}
