/**
 * A primitive type that the compiler keeps apart from others of its kind; has no cost at run time. The key is a string, not
 * a symbol, so that declarations can spell out types that are inferred from a schema.
 */
export type Brand<Value, Name extends string> = Value & { readonly "~brand": Name };
