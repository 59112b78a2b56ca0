// The only file that imports the package of Prometheus metrics, which the build bundles in its place.
export { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
