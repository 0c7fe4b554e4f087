/** Metrics of the service. */
export { createMetrics, secondsSince, type Metrics } from './create-metrics.ts';
export { metricList, type MetricDefinition } from './metric-list.ts';
export { mergePast, presentMetrics, type Gathered, type MetricsPage } from './present-metrics.ts';
