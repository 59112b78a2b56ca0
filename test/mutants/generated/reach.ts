/** Which mutants a test file reaches, by their numbers. */
export interface Reach {
  /** Those that belong to no single test. */
  readonly byAll: readonly number[];
  /** Those that only the tests with these ids of vitest reach. */
  readonly byTest: readonly (readonly [id: string, reach: TestReach])[];
}

export interface TestReach {
  /** How long the test takes. */
  readonly ms: number;
  readonly mutants: readonly number[];
}
