#include "h3_attempts.h"

// Parts that the compiler would read otherwise in one string: a letter behind an escape.
#define TRAILERS "\x01\x02" SECTION
#define DATA_X "\x00\x01x"
#define DATA_1234                                                                                            \
    "\x00\x04"                                                                                               \
    "1234"
#define UNKNOWN_FRAME                                                                                        \
    "\x21\x03"                                                                                               \
    "abc"
#define CONTENT_LENGTH(size, digits) "\x54" size digits
#define CONNECTION_CLOSE                                                                                     \
    "\x27\x03"                                                                                               \
    "connection\x05"                                                                                         \
    "close"
#define TRANSFER_ENCODING                                                                                    \
    "\x27\x0a"                                                                                               \
    "transfer-encoding\x07"                                                                                  \
    "chunked"

static const struct attempt by_the_rfcs[] = {
    // Order of frames (RFC 9114, 4.1, 6.2.1, 7.1, 7.2).
    {"DATA before HEADERS", FRAME_UNEXPECTED, {ON(REQUEST, DATA_X GET_SMALL)}},
    {"HEADERS after trailers", FRAME_UNEXPECTED, {ON(REQUEST, GET_SMALL DATA_X TRAILERS TRAILERS)}},
    {"DATA after trailers", FRAME_UNEXPECTED, {ON(REQUEST, GET_SMALL DATA_X TRAILERS DATA_X)}},
    {"SETTINGS on a request stream", FRAME_UNEXPECTED, {ON(REQUEST, "\x04\x00" GET_SMALL)}},
    {"SETTINGS twice", FRAME_UNEXPECTED, {ON(CONTROL, SETTINGS "\x04\x00")}},
    {"GOAWAY before SETTINGS", MISSING_SETTINGS, {ON(CONTROL, "\x00\x07\x01\x00")}},
    {"an unknown frame before SETTINGS", MISSING_SETTINGS, {ON(CONTROL, "\x00\x21\x00")}},
    {"DATA on the control stream", FRAME_UNEXPECTED, {ON(CONTROL, SETTINGS DATA_X)}},
    {"HEADERS on the control stream", FRAME_UNEXPECTED, {ON(CONTROL, SETTINGS GET_SMALL)}},
    {"PUSH_PROMISE on the control stream", FRAME_UNEXPECTED, {ON(CONTROL, SETTINGS "\x05\x03\x00" SECTION)}},
    {"PUSH_PROMISE of a client", FRAME_UNEXPECTED, {ON(REQUEST, GET_SMALL "\x05\x03\x00" SECTION)}},
    {"GOAWAY on a request stream", FRAME_UNEXPECTED, {ON(REQUEST, GET_SMALL "\x07\x01\x00")}},
    {"MAX_PUSH_ID on a request stream", FRAME_UNEXPECTED, {ON(REQUEST, GET_SMALL "\x0d\x01\x00")}},
    {"CANCEL_PUSH on a request stream", FRAME_UNEXPECTED, {ON(REQUEST, GET_SMALL "\x03\x01\x00")}},
    {"PRIORITY_UPDATE on a request stream",
     FRAME_UNEXPECTED,
     {ON(REQUEST, GET_SMALL "\x80\x0f\x07\x00\x01\x00")}},
    // Identifiers (RFC 9114, 5.2, 7.2.7; RFC 9218, 7.2).
    {"MAX_PUSH_ID goes down", ID_ERROR, {ON(CONTROL, SETTINGS "\x0d\x01\x05\x0d\x01\x04")}},
    {"GOAWAY goes up", ID_ERROR, {ON(CONTROL, SETTINGS "\x07\x01\x04\x07\x01\x08")}},
    {"PRIORITY_UPDATE of a stream beyond the limit",
     ID_ERROR,
     {ON(CONTROL, SETTINGS "\x80\x0f\x07\x00\x04\xbf\xff\xff\xfc")}},
    // Streams (RFC 9114, 6.2; RFC 9204, 4.2).
    {"two control streams", STREAM_CREATION_ERROR, {ON(CONTROL, SETTINGS), ON(OTHER, SETTINGS)}},
    {"a push stream of a client", STREAM_CREATION_ERROR, {ON(OTHER, "\x01\x00")}},
    {"two QPACK encoder streams", STREAM_CREATION_ERROR, {ON(ENCODER, "\x02"), ON(OTHER, "\x02")}},
    {"two QPACK decoder streams", STREAM_CREATION_ERROR, {ON(DECODER, "\x03"), ON(OTHER, "\x03")}},
    {"the control stream ends", CLOSED_CRITICAL_STREAM, {LAST_ON(CONTROL, SETTINGS)}},
    {"the QPACK encoder stream ends", CLOSED_CRITICAL_STREAM, {LAST_ON(ENCODER, "\x02")}},
    {"the QPACK decoder stream ends", CLOSED_CRITICAL_STREAM, {LAST_ON(DECODER, "\x03")}},
    {"the control stream is reset", CLOSED_CRITICAL_STREAM, {RESET_ON(CONTROL, SETTINGS)}},
    {"the QPACK encoder stream is reset", CLOSED_CRITICAL_STREAM, {RESET_ON(ENCODER, "\x02")}},
    {"the QPACK decoder stream is reset", CLOSED_CRITICAL_STREAM, {RESET_ON(DECODER, "\x03")}},
    // Settings (RFC 9114, 7.2.4.1).
    {"a setting of HTTP/2", SETTINGS_ERROR, {ON(CONTROL, "\x00\x04\x02\x02\x00")}},
    {"a flag that is neither 0 nor 1", SETTINGS_ERROR, {ON(CONTROL, "\x00\x04\x02\x08\x02")}},
    // Sizes of frames (RFC 9114, 7.1).
    {"an empty GOAWAY", FRAME_ERROR, {ON(CONTROL, SETTINGS "\x07\x00")}},
    {"an empty MAX_PUSH_ID", FRAME_ERROR, {ON(CONTROL, SETTINGS "\x0d\x00")}},
    // QPACK (RFC 9204, 2.2, 3.1, 4.5).
    {"a line of the dynamic table",
     QPACK_DECOMPRESSION_FAILED,
     {LAST_ON(REQUEST, "\x01\x03" SECTION "\x80")}},
    {"a section that needs insertions",
     QPACK_DECOMPRESSION_FAILED,
     {LAST_ON(REQUEST, "\x01\x03\x02\x00\x80")}},
    {"a line beyond the static table",
     QPACK_DECOMPRESSION_FAILED,
     {LAST_ON(REQUEST, "\x01\x04" SECTION "\xff\x40")}},
    {"a value longer than its section",
     QPACK_DECOMPRESSION_FAILED,
     {LAST_ON(REQUEST, "\x01\x05" SECTION "\x51\x06/")}},
    {"a section without its prefix", QPACK_DECOMPRESSION_FAILED, {LAST_ON(REQUEST, "\x01\x00")}},
    // Too much.
    {"HEADERS of 1 GiB", EXCESSIVE_LOAD, {ON(REQUEST, "\x01\xc0\x00\x00\x00\x40\x00\x00\x00")}},
    // Malformed requests (RFC 9114, 4.1.2, 4.2, 4.3): the stream's own errors.
    {"no HEADERS", REQUEST_INCOMPLETE, {LAST_ON(REQUEST, "")}},
    {"an unknown frame, no HEADERS", REQUEST_INCOMPLETE, {LAST_ON(REQUEST, "\x21\x01x")}},
    {"an empty section", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x02" SECTION)}},
    {"no :method", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x13" SECTION HTTPS AUTHORITY PATH)}},
    {"no :scheme", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x13" SECTION METHOD_GET AUTHORITY PATH)}},
    {"no :path", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x0c" SECTION METHOD_GET HTTPS AUTHORITY)}},
    {"no authority", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x0c" SECTION METHOD_GET HTTPS PATH)}},
    {"an empty :path",
     MESSAGE_ERROR,
     {LAST_ON(REQUEST, "\x01\x0e" SECTION METHOD_GET HTTPS AUTHORITY "\x51\x00")}},
    {":path without a slash",
     MESSAGE_ERROR,
     {LAST_ON(REQUEST, "\x01\x13" SECTION METHOD_GET HTTPS AUTHORITY "\x51\x05small")}},
    {":method twice", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x15" GET METHOD_GET)}},
    {":path twice", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x1c" GET PATH)}},
    {":status", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x15" GET "\xd9")}},
    {"an unknown pseudo-header", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x19" GET "\x22:a\x01x")}},
    {"a pseudo-header after a field",
     MESSAGE_ERROR,
     {LAST_ON(REQUEST, "\x01\x18" SECTION METHOD_GET HTTPS AUTHORITY "\x21x\x01y" PATH)}},
    {"a name in upper case", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x18" GET "\x21X\x01y")}},
    {"an empty name", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x17" GET "\x20\x01y")}},
    {"upgrade", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x21" GET "\x27\x00upgrade\x03h2c")}},
    {"connection", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x26" GET CONNECTION_CLOSE)}},
    {"transfer-encoding", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x2f" GET TRANSFER_ENCODING)}},
    {"te: gzip", MESSAGE_ERROR, {LAST_ON(REQUEST, "\x01\x1c" GET "\x22te\x04gzip")}},
    {"a body shorter than content-length",
     MESSAGE_ERROR,
     {LAST_ON(REQUEST, "\x01\x17" GET CONTENT_LENGTH("\x01", "5") DATA_1234)}},
    {"a body longer than content-length",
     MESSAGE_ERROR,
     {ON(REQUEST, "\x01\x17" GET CONTENT_LENGTH("\x01", "3") DATA_1234)}},
    {"no body where content-length has one",
     MESSAGE_ERROR,
     {LAST_ON(REQUEST, "\x01\x17" GET CONTENT_LENGTH("\x01", "5"))}},
    {"content-length twice",
     MESSAGE_ERROR,
     {LAST_ON(REQUEST, "\x01\x1a" GET CONTENT_LENGTH("\x01", "4") CONTENT_LENGTH("\x01", "5") DATA_1234)}},
    {"a content-length that is no number",
     MESSAGE_ERROR,
     {LAST_ON(REQUEST, "\x01\x18" GET "\x54\x02+4" DATA_1234)}},
    {"a content-length beyond 64 bits",
     MESSAGE_ERROR,
     {LAST_ON(REQUEST, "\x01\x2a" GET CONTENT_LENGTH("\x14", "18446744073709551620") DATA_1234)}},
    {"a pseudo-header in trailers",
     MESSAGE_ERROR,
     {LAST_ON(REQUEST, GET_SMALL DATA_X "\x01\x03" SECTION METHOD_GET)}},
    // No harm: what is not known is ignored (RFC 9114, 9).
    {"a plain request", FINE, {LAST_ON(REQUEST, GET_SMALL)}},
    {"a body as long as content-length",
     FINE,
     {LAST_ON(REQUEST, "\x01\x17" GET CONTENT_LENGTH("\x01", "4") DATA_1234)}},
    {"empty DATA", FINE, {LAST_ON(REQUEST, GET_SMALL "\x00\x00\x00\x00")}},
    {"te: trailers", FINE, {LAST_ON(REQUEST, "\x01\x20" GET "\x22te\x08trailers")}},
    {"trailers", FINE, {LAST_ON(REQUEST, GET_SMALL "\x01\x06" SECTION "\x21x\x01y")}},
    {"unknown frames", FINE, {LAST_ON(REQUEST, UNKNOWN_FRAME GET_SMALL "\x40\x5f\x00\x21\x01z")}},
    {"an unknown stream", FINE, {ON(OTHER, "\x21\x61nything"), LAST_ON(REQUEST, GET_SMALL)}},
    {"an unknown stream that ends", FINE, {LAST_ON(OTHER, "\x21"), LAST_ON(REQUEST, GET_SMALL)}},
    {"a stream without a type that ends", FINE, {LAST_ON(OTHER, ""), LAST_ON(REQUEST, GET_SMALL)}},
    {"streams that end within their type",
     FINE,
     {LAST_ON(OTHER, "\x7f"), LAST_ON(OTHER + 4, "\x7f"), LAST_ON(OTHER + 8, "\x7f"),
      LAST_ON(REQUEST, GET_SMALL)}},
    {"a stream that is reset within its type", FINE, {RESET_ON(OTHER, "\x7f"), LAST_ON(REQUEST, GET_SMALL)}},
    {"an unknown setting", FINE, {ON(CONTROL, "\x00\x04\x02\x21\x07"), LAST_ON(REQUEST, GET_SMALL)}},
    {"an unknown frame after SETTINGS",
     FINE,
     {ON(CONTROL, SETTINGS "\x21\x02xy"), LAST_ON(REQUEST, GET_SMALL)}},
    {"GOAWAY", FINE, {ON(CONTROL, SETTINGS "\x07\x01\x00"), LAST_ON(REQUEST, GET_SMALL)}},
    {"MAX_PUSH_ID goes up",
     FINE,
     {ON(CONTROL, SETTINGS "\x0d\x01\x04\x0d\x01\x05"), LAST_ON(REQUEST, GET_SMALL)}},
};

// Where quiche 0.30 differs: what the RFCs have stands above each.
static const struct attempt by_quiche[] = {
    // FRAME_UNEXPECTED of the connection (RFC 9114, 7.2.8).
    {"a PRIORITY of HTTP/2", FINE, {ON(CONTROL, SETTINGS "\x02\x00"), LAST_ON(REQUEST, GET_SMALL)}},
    {"a PING of HTTP/2", FINE, {ON(CONTROL, SETTINGS "\x06\x00"), LAST_ON(REQUEST, GET_SMALL)}},
    {"a WINDOW_UPDATE of HTTP/2", FINE, {LAST_ON(REQUEST, GET_SMALL "\x08\x00")}},
    {"a CONTINUATION of HTTP/2", FINE, {LAST_ON(REQUEST, GET_SMALL "\x09\x00")}},
    // SETTINGS_ERROR (RFC 9114, 7.2.4), which is a MAY.
    {"a setting twice", FINE, {ON(CONTROL, "\x00\x04\x04\x06\x07\x06\x07"), LAST_ON(REQUEST, GET_SMALL)}},
    // FRAME_ERROR of the connection (RFC 9114, 7.1).
    {"SETTINGS shorter than its last setting", 0x999, {ON(CONTROL, "\x00\x04\x01\x06")}},
    {"GOAWAY longer than its number",
     FINE,
     {ON(CONTROL, SETTINGS "\x07\x02\x00\x00"), LAST_ON(REQUEST, GET_SMALL)}},
    {"a request ends within HEADERS", REQUEST_INCOMPLETE, {LAST_ON(REQUEST, "\x01\x14" SECTION METHOD_GET)}},
    {"a request ends within DATA", FINE, {LAST_ON(REQUEST, GET_SMALL "\x00\x09x")}},
    {"a request ends within a frame's length", FINE, {LAST_ON(REQUEST, GET_SMALL "\x00\x40")}},
    // QPACK_DECOMPRESSION_FAILED (RFC 9204, 4.5; RFC 7541, 5.2).
    {"a value that is no Huffman code",
     EXCESSIVE_LOAD,
     {LAST_ON(REQUEST, "\x01\x08" SECTION "\x51\x84\xff\xff\xff\xff")}},
    // QPACK_ENCODER_STREAM_ERROR and QPACK_DECODER_STREAM_ERROR (RFC 9204, 3.2.3, 4.4.3).
    {"an insertion where the table holds nothing",
     FINE,
     {ON(ENCODER, "\x02\x41x\x01y"), LAST_ON(REQUEST, GET_SMALL)}},
    {"an Insert Count Increment of 0", FINE, {ON(DECODER, "\x03\x00"), LAST_ON(REQUEST, GET_SMALL)}},
};

const struct attempts attempts_by_the_rfcs = {by_the_rfcs, sizeof by_the_rfcs / sizeof *by_the_rfcs};
const struct attempts attempts_by_quiche = {by_quiche, sizeof by_quiche / sizeof *by_quiche};
