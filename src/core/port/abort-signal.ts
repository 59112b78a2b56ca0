// Every platform Heddle runs on has AbortSignal, but the language's own library declarations do not. Core declares the part
// it needs without depending on a platform; where platform types are compiled in, this declaration merges with theirs.
declare global {
  interface AbortSignal {
    readonly aborted: boolean;
  }
}

export {};
