import PrometheusMetrics

/// All metrics of the worker and the server. `docs/metrics.md` explains each, and tests compare the two.
enum MetricCatalogue {
    static let families = pushes + engine + providers + http + process

    private static let pushes = [
        MetricFamily(
            "cherish_pushes_enqueued_total", .counter, help: "Pushes that this worker planned: jobs added to the log."),
        MetricFamily(
            "cherish_pushes_ended_total", .counter,
            help: "Planned pushes that ended at this worker, by outcome. Each planned push ends once."),
        MetricFamily(
            "cherish_pushes_deferred_total", .counter,
            help: "How often this worker put a push off, after a failure or until quiet hours end."),
        MetricFamily(
            "cherish_pushes_underway", .gauge,
            help: "Pushes of this worker that webhooks have not answered yet, or whose answers are not recorded yet."),
    ]

    private static let engine = [
        MetricFamily(
            "cherish_tick_seconds", .histogram(bounds: MetricFamily.secondBounds),
            help: "How long rounds of scheduling, delivery, replanning and housekeeping took that did something."),
        MetricFamily("cherish_service_errors_total", .counter, help: "Rounds that ended with an error."),
        MetricFamily(
            "cherish_loop_silence_seconds", .gauge,
            help: "For how long a loop of this worker has neither begun a round nor ended a batch."),
        MetricFamily(
            "cherish_lease_age_seconds", .gauge,
            help: "For how long this worker has held the lane that it has held longest; 0 without one."),
        MetricFamily(
            "cherish_database_up", .gauge, help: "1 if the database told the figures of the engine, else 0."),
        MetricFamily(
            "cherish_scheduling_lag_seconds", .gauge,
            help: "For how long the oldest occurrence of any lane has been due that no worker has scheduled."),
        MetricFamily(
            "cherish_delivery_lag_seconds", .gauge,
            help: "How long ago the oldest job of any lane was planned that no worker has delivered or put off."),
        MetricFamily(
            "cherish_retry_lag_seconds", .gauge, help: "For how long the oldest retry of any lane has been due."),
        MetricFamily("cherish_undelivered_pushes", .gauge, help: "Jobs after the delivery cursors of their lanes."),
        MetricFamily("cherish_retries", .gauge, help: "Pushes to be tried again, due or not; 100000 at most."),
        MetricFamily(
            "cherish_leases", .gauge,
            help: "Lanes that any worker holds, and abandoned ones, whose lease ran out without being given back."),
        MetricFamily(
            "cherish_lanes_ahead", .gauge,
            help: "Lanes whose calendar was walked ahead of the clock: what is added there rings late."),
        MetricFamily(
            "cherish_pool_connections", .gauge, help: "Connections of this worker to the database, in use and idle."),
        MetricFamily("cherish_pool_limit", .gauge, help: "How many connections this worker may open."),
        MetricFamily("cherish_pool_waiting", .gauge, help: "Tasks of this worker that wait for a connection."),
    ]

    private static let providers = [
        MetricFamily(
            "cherish_provider_answers_total", .counter,
            help: "Answers of providers to pushes, or their absence, by what follows."),
        MetricFamily(
            "cherish_provider_answer_seconds", .histogram(bounds: MetricFamily.secondBounds),
            help: "How long providers took to answer, or it took to give up."),
        MetricFamily(
            "cherish_provider_breaker_open", .gauge,
            help: "1 while pushes to the provider wait because it fails, else 0. Each webhook's server has its own."),
        MetricFamily(
            "cherish_provider_breaker_openings_total", .counter,
            help: "How often it was decided to leave a provider alone for a while."),
    ]

    private static let http = [
        MetricFamily(
            "cherish_event_streams", .gauge, help: "Devices that listen at this server for changes."),
        MetricFamily(
            "cherish_http_requests_total", .counter,
            help: "Requests that this server answered, by route and status."),
        MetricFamily(
            "cherish_http_request_seconds", .histogram(bounds: MetricFamily.secondBounds),
            help: "How long answers took, by route, without the time to send them."),
        MetricFamily(
            "cherish_sign_ins_total", .counter,
            help: "Attempts to sign in with a password or an identity, by outcome: right, wrong, or slowed down."),
        MetricFamily(
            "cherish_personal_messages_total", .counter,
            help: "Mails and text messages to people, by outcome: sent, failed, or dropped because too many waited."),
    ]

    private static let process = [
        MetricFamily(
            "process_start_time_seconds", .gauge, help: "When the process began, in seconds since 1970."),
        MetricFamily("process_resident_memory_bytes", .gauge, help: "Memory that the process occupies."),
        MetricFamily("process_cpu_seconds_total", .counter, help: "Time of processors that the process has used."),
    ]
}
