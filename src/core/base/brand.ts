/**
 * A primitive that the compiler tells apart from others of its kind; costs nothing at run time. The key is a text and no
 * symbol, so that declarations can spell out types that were inferred from a schema.
 */
export type Brand<Value, Name extends string> = Value & { readonly "~brand": Name };
