/** One deliberate defect, and the test file that must fail with it. */
export interface Mutant {
  /** What is broken, as a sentence. */
  readonly name: string;
  /** The source file, from the repository's root. */
  readonly file: string;
  /** What to replace; it stands in the file exactly once. */
  readonly search: string;
  readonly replacement: string;
  /** The test file that must fail, from the repository's root. */
  readonly test: string;
  /** Only tests whose name matches this are run; all of the file unless given. */
  readonly only?: string;
}
