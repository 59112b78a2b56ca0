/** One deliberate defect, and the test file that must fail with it. */
export interface Mutant {
  /** The defect, as a sentence. */
  readonly name: string;
  /** The source file, from the repository's root. */
  readonly file: string;
  /** The text to replace; it occurs in the file exactly once. */
  readonly search: string;
  readonly replacement: string;
  /** The test file that must fail, from the repository's root. */
  readonly test: string;
  /** Runs only the tests whose name matches; all tests of the file by default. */
  readonly only?: string;
}
