// `heddle/testing`: for authors of stores, models and clients. Needs vitest, which the package does not bring.

export { describeStore } from "./store-suite.ts";
export type { StoreSuiteOptions } from "./store-suite.ts";
export type { OpenedStore, OpenStore } from "./store/opened-store.ts";
export { describeBlobs } from "./blob-suite.ts";
export type { OpenBlobs, OpenedBlobs } from "./blob-suite.ts";
export { startMockProvider } from "./mock-provider/server.ts";
export type { MockProvider, MockProviderOptions } from "./mock-provider/server.ts";
export type { WireName } from "./mock-provider/wires.ts";
export type { Fault, RefusalStatus } from "./mock-provider/faults.ts";
export { seededRandom } from "./seeded-random.ts";
export type { SeededRandom } from "./seeded-random.ts";
export { simulatedClock } from "./simulated-clock.ts";
export type { SimulatedClock } from "./simulated-clock.ts";
export { connectTestClient, until } from "./test-client.ts";
export { startTestServer } from "./test-server.ts";
export type { TestServer, TestServerOptions } from "./test-server.ts";
