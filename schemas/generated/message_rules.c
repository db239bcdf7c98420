// Generated from ../message.schema.json by `npm run generate`: change the schema instead.
#include "messaging/message_rules.h"

static const struct message_rule rule_id = {.kind = RULE_NUMBER, .expected = "a number of 0 or more", .least = 0, .most = 9007199254740991};
static const struct message_rule rule_hello_type = {.kind = RULE_TEXT, .expected = "\"hello\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"hello", NULL}};
static const struct message_field fields_hello[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_hello_type},
    {0}};
static const struct message_rule rule_archive_list_type = {.kind = RULE_TEXT, .expected = "\"archive.list\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"archive.list", NULL}};
static const struct message_rule rule_archive_list_after = {.kind = RULE_TEXT, .expected = "a string", .least = 0, .most = INT64_MAX};
static const struct message_field fields_archive_list[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_archive_list_type},
    {"after", false, &rule_archive_list_after},
    {0}};
static const struct message_rule rule_archive_show_type = {.kind = RULE_TEXT, .expected = "\"archive.show\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"archive.show", NULL}};
static const struct message_rule rule_any_name = {.kind = RULE_TEXT, .expected = "a recording's name", .least = 1, .most = INT64_MAX};
static const struct message_rule rule_number = {.kind = RULE_NUMBER, .expected = "a number of 0 or more", .least = 0, .most = 9007199254740991};
static const struct message_field fields_archive_show[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_archive_show_type},
    {"name", true, &rule_any_name},
    {"from", false, &rule_number},
    {0}};
static const struct message_rule rule_archive_verify_type = {.kind = RULE_TEXT, .expected = "\"archive.verify\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"archive.verify", NULL}};
static const struct message_field fields_archive_verify[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_archive_verify_type},
    {"name", true, &rule_any_name},
    {"from", false, &rule_number},
    {0}};
static const struct message_rule rule_archive_read_type = {.kind = RULE_TEXT, .expected = "\"archive.read\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"archive.read", NULL}};
static const struct message_rule rule_sha256 = {.kind = RULE_TEXT, .expected = "a SHA-256 in lower-case hex", .least = 0, .most = INT64_MAX, .pattern = 1};
static const struct message_field fields_archive_read[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_archive_read_type},
    {"sha256", true, &rule_sha256},
    {"from", false, &rule_number},
    {0}};
static const struct message_rule rule_archive_begin_type = {.kind = RULE_TEXT, .expected = "\"archive.begin\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"archive.begin", NULL}};
static const struct message_rule rule_name = {.kind = RULE_TEXT, .expected = "1 to 100 of the characters A-Z a-z 0-9 . _ -, the first a letter or digit", .least = 0, .most = INT64_MAX, .pattern = 2};
static const struct message_rule rule_archive_begin_url = {.kind = RULE_TEXT, .expected = "an absolute http or https URL", .least = 0, .most = INT64_MAX, .pattern = 3};
static const struct message_rule rule_archive_begin_source = {.kind = RULE_TEXT, .expected = "a string that says where the recording comes from", .least = 1, .most = INT64_MAX};
static const struct message_rule rule_time = {.kind = RULE_TEXT, .expected = "a time in UTC, as 2024-02-29T23:59:59Z", .least = 0, .most = INT64_MAX, .pattern = 4};
static const struct message_rule rule_archive_begin_notes = {.kind = RULE_OBJECT, .expected = "an object", .least = 0, .most = INT64_MAX};
static const struct message_rule rule_archive_begin_replace = {.kind = RULE_FLAG, .expected = "true or false", .least = 0, .most = INT64_MAX};
static const struct message_field fields_archive_begin[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_archive_begin_type},
    {"name", true, &rule_name},
    {"url", true, &rule_archive_begin_url},
    {"source", true, &rule_archive_begin_source},
    {"recorded_at", false, &rule_time},
    {"notes", true, &rule_archive_begin_notes},
    {"replace", false, &rule_archive_begin_replace},
    {0}};
static const struct message_rule rule_archive_body_type = {.kind = RULE_TEXT, .expected = "\"archive.body\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"archive.body", NULL}};
static const struct message_rule rule_base64 = {.kind = RULE_BASE64, .expected = "bytes in base64, at least one", .least = 4, .most = INT64_MAX};
static const struct message_field fields_archive_body[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_archive_body_type},
    {"transaction", true, &rule_number},
    {"upload", true, &rule_number},
    {"data", true, &rule_base64},
    {0}};
static const struct message_rule rule_archive_exchange_type = {.kind = RULE_TEXT, .expected = "\"archive.exchange\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"archive.exchange", NULL}};
static const struct message_rule rule_exchange_method = {.kind = RULE_TEXT, .expected = "a method of up to 64 token characters", .least = 0, .most = INT64_MAX, .pattern = 5};
static const struct message_rule rule_exchange_scheme = {.kind = RULE_TEXT, .expected = "\"http\" or \"https\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"http", "https", NULL}};
static const struct message_rule rule_exchange_host = {.kind = RULE_TEXT, .expected = "a host name or address in lower case, without port or brackets", .least = 0, .most = INT64_MAX, .pattern = 6};
static const struct message_rule rule_exchange_port = {.kind = RULE_NUMBER, .expected = "a number from 1 to 65535", .least = 1, .most = 65535};
static const struct message_rule rule_exchange_path = {.kind = RULE_TEXT, .expected = "a path with query as on the wire: \"/\" and visible ASCII characters", .least = 0, .most = INT64_MAX, .pattern = 7};
static const struct message_rule rule_request_headers_0_0 = {.kind = RULE_TEXT, .expected = "a string", .least = 0, .most = INT64_MAX, .pattern = 8};
static const struct message_rule rule_request_headers_0_1 = {.kind = RULE_TEXT, .expected = "a string", .least = 0, .most = INT64_MAX, .pattern = 9};
static const struct message_rule rule_request_headers_0 = {.kind = RULE_LIST, .expected = "an array of a string", .least = 2, .most = 2, .items = {&rule_request_headers_0_0, &rule_request_headers_0_1}};
static const struct message_rule rule_request_headers = {.kind = RULE_LIST, .expected = "an array of [name, value], names in lower case", .least = 0, .most = INT64_MAX, .items = {&rule_request_headers_0}};
static const struct message_rule rule_exchange_address = {.kind = RULE_ADDRESS, .expected = "an IPv4 or IPv6 address", .least = 0, .most = INT64_MAX};
static const struct message_rule rule_exchange_status = {.kind = RULE_NUMBER, .expected = "a number from 200 to 999", .least = 200, .most = 999};
static const struct message_rule rule_response_headers_0_0 = {.kind = RULE_TEXT, .expected = "a string", .least = 0, .most = INT64_MAX, .not_words = (const char *const[]){"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", NULL}, .pattern = 8};
static const struct message_rule rule_response_headers_0_1 = {.kind = RULE_TEXT, .expected = "a string", .least = 0, .most = INT64_MAX, .pattern = 9};
static const struct message_rule rule_response_headers_0 = {.kind = RULE_LIST, .expected = "an array of a string", .least = 2, .most = 2, .items = {&rule_response_headers_0_0, &rule_response_headers_0_1}};
static const struct message_rule rule_response_headers = {.kind = RULE_LIST, .expected = "an array of [name, value], names in lower case, without hop-by-hop headers; content-length only of an answer to HEAD, where it frames nothing", .least = 0, .most = INT64_MAX, .items = {&rule_response_headers_0}};
static const struct message_rule rule_exchange_body_origin = {.kind = RULE_TEXT, .expected = "\"recorded\", \"recompressed\", \"filled\" or \"empty\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"recorded", "recompressed", "filled", "empty", NULL}};
static const struct message_rule rule_exchange_recorded = {.kind = RULE_OBJECT, .expected = "an object", .least = 0, .most = INT64_MAX};
static const struct message_field fields_exchange[] = {
    {"method", true, &rule_exchange_method},
    {"scheme", true, &rule_exchange_scheme},
    {"host", true, &rule_exchange_host},
    {"port", true, &rule_exchange_port},
    {"path", true, &rule_exchange_path},
    {"request_headers", true, &rule_request_headers},
    {"address", true, &rule_exchange_address},
    {"status", true, &rule_exchange_status},
    {"response_headers", true, &rule_response_headers},
    {"body_origin", true, &rule_exchange_body_origin},
    {"recorded", true, &rule_exchange_recorded},
    {0}};
static const struct message_rule rule_exchange = {.kind = RULE_OBJECT, .expected = "an object", .least = 0, .most = INT64_MAX, .fields = fields_exchange};
static const struct message_field fields_archive_exchange[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_archive_exchange_type},
    {"transaction", true, &rule_number},
    {"exchange", true, &rule_exchange},
    {"body", false, &rule_base64},
    {"body_upload", false, &rule_number},
    {"body_sha256", false, &rule_sha256},
    {"request_body", false, &rule_base64},
    {"request_body_upload", false, &rule_number},
    {"request_body_sha256", false, &rule_sha256},
    {0}};
static const struct message_rule rule_archive_commit_type = {.kind = RULE_TEXT, .expected = "\"archive.commit\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"archive.commit", NULL}};
static const struct message_rule rule_archive_commit_notes = {.kind = RULE_OBJECT, .expected = "an object", .least = 0, .most = INT64_MAX};
static const struct message_field fields_archive_commit[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_archive_commit_type},
    {"transaction", true, &rule_number},
    {"notes", false, &rule_archive_commit_notes},
    {0}};
static const struct message_rule rule_archive_abort_type = {.kind = RULE_TEXT, .expected = "\"archive.abort\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"archive.abort", NULL}};
static const struct message_field fields_archive_abort[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_archive_abort_type},
    {"transaction", true, &rule_number},
    {0}};
static const struct message_rule rule_archive_remove_type = {.kind = RULE_TEXT, .expected = "\"archive.remove\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"archive.remove", NULL}};
static const struct message_field fields_archive_remove[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_archive_remove_type},
    {"name", true, &rule_any_name},
    {0}};
static const struct message_rule rule_doctor_type = {.kind = RULE_TEXT, .expected = "\"doctor\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"doctor", NULL}};
static const struct message_field fields_doctor[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_doctor_type},
    {0}};
static const struct message_rule rule_links_type = {.kind = RULE_TEXT, .expected = "\"links\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"links", NULL}};
static const struct message_field fields_links[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_links_type},
    {0}};
static const struct message_rule rule_profile_begin_type = {.kind = RULE_TEXT, .expected = "\"profile.begin\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"profile.begin", NULL}};
static const struct message_rule rule_label = {.kind = RULE_TEXT, .expected = "a string of 1 to 300 characters", .least = 1, .most = 300};
static const struct message_field fields_profile_begin[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_profile_begin_type},
    {"name", true, &rule_label},
    {"bytes", false, &rule_number},
    {0}};
static const struct message_rule rule_profile_data_type = {.kind = RULE_TEXT, .expected = "\"profile.data\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"profile.data", NULL}};
static const struct message_rule rule_profile_data_text = {.kind = RULE_TEXT, .expected = "a string that is not empty", .least = 1, .most = INT64_MAX};
static const struct message_field fields_profile_data[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_profile_data_type},
    {"upload", true, &rule_number},
    {"text", true, &rule_profile_data_text},
    {0}};
static const struct message_rule rule_profile_commit_type = {.kind = RULE_TEXT, .expected = "\"profile.commit\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"profile.commit", NULL}};
static const struct message_field fields_profile_commit[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_profile_commit_type},
    {"upload", true, &rule_number},
    {0}};
static const struct message_rule rule_profile_abort_type = {.kind = RULE_TEXT, .expected = "\"profile.abort\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"profile.abort", NULL}};
static const struct message_field fields_profile_abort[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_profile_abort_type},
    {"upload", true, &rule_number},
    {0}};
static const struct message_rule rule_profile_list_type = {.kind = RULE_TEXT, .expected = "\"profile.list\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"profile.list", NULL}};
static const struct message_rule rule_made_id = {.kind = RULE_TEXT, .expected = "an id that the host made", .least = 0, .most = INT64_MAX, .pattern = 10};
static const struct message_field fields_profile_list[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_profile_list_type},
    {"after", false, &rule_made_id},
    {0}};
static const struct message_rule rule_profile_get_type = {.kind = RULE_TEXT, .expected = "\"profile.get\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"profile.get", NULL}};
static const struct message_field fields_profile_get[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_profile_get_type},
    {"profile", true, &rule_made_id},
    {0}};
static const struct message_rule rule_profile_remove_type = {.kind = RULE_TEXT, .expected = "\"profile.remove\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"profile.remove", NULL}};
static const struct message_field fields_profile_remove[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_profile_remove_type},
    {"profile", true, &rule_made_id},
    {0}};
static const struct message_rule rule_race_start_type = {.kind = RULE_TEXT, .expected = "\"race.start\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"race.start", NULL}};
static const struct message_rule rule_lane = {.kind = RULE_TEXT, .expected = "\"h1\", \"h1-clear\", \"h2\", \"h2-0rtt\", \"h3\", \"h3-discovered\", \"h3-altsvc\" or \"h3-0rtt\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"h1", "h1-clear", "h2", "h2-0rtt", "h3", "h3-discovered", "h3-altsvc", "h3-0rtt", NULL}};
static const struct message_rule rule_race_start_lanes = {.kind = RULE_LIST, .expected = "an array of \"h1\", \"h1-clear\", \"h2\", \"h2-0rtt\", \"h3\", \"h3-discovered\", \"h3-altsvc\" or \"h3-0rtt\", each once", .least = 1, .most = INT64_MAX, .unique = true, .items = {&rule_lane}};
static const struct message_rule rule_link = {.kind = RULE_TEXT, .expected = "a link that names no file", .least = 1, .most = 500, .pattern = 11, .not_pattern = 12};
static const struct message_rule rule_race_start_runs = {.kind = RULE_NUMBER, .expected = "a number from 1 to 1000", .least = 1, .most = 1000};
static const struct message_rule rule_race_options_filmstrip = {.kind = RULE_FLAG, .expected = "true or false", .least = 0, .most = INT64_MAX};
static const struct message_rule rule_race_options_new = {.kind = RULE_FLAG, .expected = "true or false", .least = 0, .most = INT64_MAX};
static const struct message_rule rule_race_options_keep_credentials = {.kind = RULE_FLAG, .expected = "true or false", .least = 0, .most = INT64_MAX};
static const struct message_rule rule_race_options_pin_time = {.kind = RULE_FLAG, .expected = "true or false", .least = 0, .most = INT64_MAX};
static const struct message_rule rule_race_options_warm_cache = {.kind = RULE_FLAG, .expected = "true or false", .least = 0, .most = INT64_MAX};
static const struct message_rule rule_race_options_extra_rtt = {.kind = RULE_FLAG, .expected = "true or false", .least = 0, .most = INT64_MAX};
static const struct message_rule rule_race_options_forget_profile = {.kind = RULE_FLAG, .expected = "true or false", .least = 0, .most = INT64_MAX};
static const struct message_rule rule_race_options_transport = {.kind = RULE_TEXT, .expected = "\"stock\" or \"tuned\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"stock", "tuned", NULL}};
static const struct message_rule rule_race_options_timeout_s = {.kind = RULE_NUMBER, .expected = "a number of 1 or more", .least = 1, .most = 9007199254740991};
static const struct message_field fields_race_options[] = {
    {"filmstrip", false, &rule_race_options_filmstrip},
    {"new", false, &rule_race_options_new},
    {"keep_credentials", false, &rule_race_options_keep_credentials},
    {"pin_time", false, &rule_race_options_pin_time},
    {"warm_cache", false, &rule_race_options_warm_cache},
    {"extra_rtt", false, &rule_race_options_extra_rtt},
    {"forget_profile", false, &rule_race_options_forget_profile},
    {"transport", false, &rule_race_options_transport},
    {"seed", false, &rule_number},
    {"retries", false, &rule_number},
    {"settle_ms", false, &rule_number},
    {"timeout_s", false, &rule_race_options_timeout_s},
    {0}};
static const struct message_rule rule_race_options = {.kind = RULE_OBJECT, .expected = "an object", .least = 0, .most = INT64_MAX, .fields = fields_race_options};
static const struct message_field fields_race_start[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_race_start_type},
    {"profile", false, &rule_made_id},
    {"recording", false, &rule_name},
    {"lanes", true, &rule_race_start_lanes},
    {"link", true, &rule_link},
    {"runs", true, &rule_race_start_runs},
    {"options", false, &rule_race_options},
    {0}};
static const struct message_rule rule_race_follow_type = {.kind = RULE_TEXT, .expected = "\"race.follow\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"race.follow", NULL}};
static const struct message_field fields_race_follow[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_race_follow_type},
    {"race", true, &rule_made_id},
    {"from", false, &rule_number},
    {0}};
static const struct message_rule rule_race_unfollow_type = {.kind = RULE_TEXT, .expected = "\"race.unfollow\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"race.unfollow", NULL}};
static const struct message_field fields_race_unfollow[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_race_unfollow_type},
    {"race", true, &rule_made_id},
    {0}};
static const struct message_rule rule_race_list_type = {.kind = RULE_TEXT, .expected = "\"race.list\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"race.list", NULL}};
static const struct message_field fields_race_list[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_race_list_type},
    {0}};
static const struct message_rule rule_race_cancel_type = {.kind = RULE_TEXT, .expected = "\"race.cancel\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"race.cancel", NULL}};
static const struct message_field fields_race_cancel[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_race_cancel_type},
    {"race", true, &rule_made_id},
    {0}};
static const struct message_rule rule_race_result_type = {.kind = RULE_TEXT, .expected = "\"race.result\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"race.result", NULL}};
static const struct message_field fields_race_result[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_race_result_type},
    {"race", true, &rule_made_id},
    {0}};
static const struct message_rule rule_race_remove_type = {.kind = RULE_TEXT, .expected = "\"race.remove\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"race.remove", NULL}};
static const struct message_field fields_race_remove[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_race_remove_type},
    {"race", true, &rule_made_id},
    {0}};
static const struct message_rule rule_lab_start_type = {.kind = RULE_TEXT, .expected = "\"lab.start\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"lab.start", NULL}};
static const struct message_field fields_lab_start[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_lab_start_type},
    {"link", true, &rule_link},
    {"lane", true, &rule_lane},
    {"recording", true, &rule_name},
    {0}};
static const struct message_rule rule_lab_steer_type = {.kind = RULE_TEXT, .expected = "\"lab.steer\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"lab.steer", NULL}};
static const struct message_field fields_lab_steer[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_lab_steer_type},
    {"lab", true, &rule_made_id},
    {"change", true, &rule_link},
    {0}};
static const struct message_rule rule_lab_stop_type = {.kind = RULE_TEXT, .expected = "\"lab.stop\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"lab.stop", NULL}};
static const struct message_field fields_lab_stop[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_lab_stop_type},
    {"lab", true, &rule_made_id},
    {0}};
static const struct message_rule rule_lab_list_type = {.kind = RULE_TEXT, .expected = "\"lab.list\"", .least = 0, .most = INT64_MAX, .words = (const char *const[]){"lab.list", NULL}};
static const struct message_field fields_lab_list[] = {
    {"id", true, &rule_id},
    {"type", true, &rule_lab_list_type},
    {0}};

const char *const message_patterns[] = {
    "^[0-9a-f]{64}$",
    "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
    "^https?://[!-~]+$",
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$",
    "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$",
    "^[a-z0-9._:-]{1,255}$",
    "^(/[!-~]*|\\*)$",
    "^[!#$%&'*+.^_`|~0-9a-z-]+$",
    "^[^\001-\010\012-\037\177]*$",
    "^[0-9a-f]{16}$",
    "^[ -~]*$",
    "^-|[Tt][Rr][Aa][Cc][Ee][A-Z_a-z]*=|[Ff][Ii][Ll][Ee]:|[.][Jj][Ss][Oo][Nn]$",
    NULL};

const struct message_type message_types[] = {
    {"hello", NULL, fields_hello},
    {"archive.list", NULL, fields_archive_list},
    {"archive.show", NULL, fields_archive_show},
    {"archive.verify", NULL, fields_archive_verify},
    {"archive.read", NULL, fields_archive_read},
    {"archive.begin", NULL, fields_archive_begin},
    {"archive.body", NULL, fields_archive_body},
    {"archive.exchange", NULL, fields_archive_exchange},
    {"archive.commit", NULL, fields_archive_commit},
    {"archive.abort", NULL, fields_archive_abort},
    {"archive.remove", NULL, fields_archive_remove},
    {"doctor", "doctor", fields_doctor},
    {"links", "links", fields_links},
    {"profile.begin", NULL, fields_profile_begin},
    {"profile.data", NULL, fields_profile_data},
    {"profile.commit", NULL, fields_profile_commit},
    {"profile.abort", NULL, fields_profile_abort},
    {"profile.list", NULL, fields_profile_list},
    {"profile.get", NULL, fields_profile_get},
    {"profile.remove", NULL, fields_profile_remove},
    {"race.start", NULL, fields_race_start},
    {"race.follow", NULL, fields_race_follow},
    {"race.unfollow", NULL, fields_race_unfollow},
    {"race.list", NULL, fields_race_list},
    {"race.cancel", NULL, fields_race_cancel},
    {"race.result", NULL, fields_race_result},
    {"race.remove", NULL, fields_race_remove},
    {"lab.start", NULL, fields_lab_start},
    {"lab.steer", NULL, fields_lab_steer},
    {"lab.stop", NULL, fields_lab_stop},
    {"lab.list", NULL, fields_lab_list},
    {0}};
