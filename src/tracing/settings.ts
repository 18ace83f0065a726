/** What the environment says about tracing, as far as the exporter does not read it by itself. */
export interface TracingSettings {
  /** What is wrong with the settings; tracing works nevertheless. */
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether spans are asked for, by the variables that all of OpenTelemetry shares; undefined if they are not. */
export function tracingSettings(environment: Environment): TracingSettings | undefined {
  const text = (name: string): string => environment[name]?.trim() ?? '';
  if (text('OTEL_SDK_DISABLED').toLowerCase() === 'true') return undefined;
  if (text('OTEL_TRACES_EXPORTER').toLowerCase() === 'none') return undefined;
  const endpoint = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].find(
    (name) => text(name) !== '',
  );
  if (endpoint === undefined) return undefined;
  const warnings: string[] = [];
  if (!/^https?:\/\/./.test(text(endpoint))) {
    warnings.push(`${endpoint}: an endpoint starts with http:// or https://`);
  }
  const protocol =
    text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || text('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== '' && protocol !== 'http/json') {
    warnings.push(`OTLP protocol ${protocol}: spans are sent as http/json all the same`);
  }
  return { warnings };
}
