// `heddle/testing`: for authors of stores, models and clients. Needs vitest, which the package does not install. See
// docs/library/testing.md.

export { scriptedModel } from "../adapters/providers/scripted.ts";
export { describeBlobs } from "../testing/blob-suite.ts";
export { startMockProvider } from "../testing/mock-provider/server.ts";
export { seededRandom } from "../testing/seeded-random.ts";
export { simulatedClock } from "../testing/simulated-clock.ts";
export { describeStore } from "../testing/store-suite.ts";
export { connectTestClient, until } from "../testing/test-client.ts";
export { startTestServer } from "../testing/test-server.ts";
