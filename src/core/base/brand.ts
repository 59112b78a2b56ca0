declare const brand: unique symbol;

/** A primitive that the compiler tells apart from others of its kind; costs nothing at run time. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };
