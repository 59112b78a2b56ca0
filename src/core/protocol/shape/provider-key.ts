import * as v from "valibot";

/** Names a provider of models. */
export const providerId = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  v.description("Id of the provider."),
  v.examples(["anthropic"]),
);
/** Visible characters, as keys are sent in headers. */
export const providerKey = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^[\x21-\x7e]{8,512}$/, "8 to 512 visible ASCII characters"),
  v.description("The key, 8 to 512 visible ASCII characters. No answer ever carries it."),
  v.examples(["sk-example-key"]),
);
