// The caller's way to give up exists on every platform Heddle runs on, and in none of the language's own libraries.
// Core names it without taking in a platform; where a platform is compiled in, this merges with its declaration.
declare global {
  interface AbortSignal {
    readonly aborted: boolean;
  }
}

export {};
