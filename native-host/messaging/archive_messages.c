// The archive's messages. Holds the transactions and uploads that a conversation has open; they end with it.
#include "messaging/handled.h"

#include "archive/archive_listing.h"
#include "archive/archive_writer.h"
#include "archive/body_reader.h"
#include "archive/recording_check.h"

#include <openssl/base64.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRANSACTIONS_MAX = 16,
    UPLOADS_MAX = 64,               // each has a file open
    EXCHANGE_SIZE_MAX = 256 * 1024, // of its JSON, so that any exchange can be shown in one message
    READ_PIECE_SIZE = 128 * 1024,   // of a body: a fraction of what a message to a browser may have
};

// A body that is coming in pieces, or has come whole and waits for its exchange.
struct upload {
    struct upload *next;
    json_int_t number;
    struct body_upload *body;
};

struct transaction {
    struct transaction *next;
    json_int_t number;
    json_int_t exchange_count;
    struct archive_transaction *archive;
    struct upload *uploads;
    size_t upload_count;
};

static int fail_archive(struct message_error *error, const struct archive_error *why) {
    return message_fail(error, archive_code_name(why->code), why->remedy, "%s", why->message);
}

// ---- What is open ----

static void uploads_close(struct transaction *transaction) {
    while (transaction->uploads) {
        struct upload *next = transaction->uploads->next;
        body_upload_abort(transaction->uploads->body);
        free(transaction->uploads);
        transaction->uploads = next;
    }
}

// Takes the transaction out of the conversation and frees all but its archive part, which is returned.
static struct archive_transaction *transaction_take(struct host *host, struct transaction *transaction) {
    struct transaction **link = &host->transactions.first;
    while (*link != transaction)
        link = &(*link)->next;
    *link = transaction->next;
    host->transactions.count--;
    struct archive_transaction *archive = transaction->archive;
    uploads_close(transaction);
    free(transaction);
    return archive;
}

static struct transaction *transaction_of(struct call *call) {
    json_int_t number = number_of(call->message, "transaction");
    for (struct transaction *t = call->host->transactions.first; t; t = t->next)
        if (t->number == number) return t;
    message_fail(&call->error, "no-transaction", "begin one with archive.begin",
                 "transaction %lld: is not open", (long long)number);
    return NULL;
}

static struct upload **upload_link(struct transaction *transaction, json_int_t number) {
    struct upload **link = &transaction->uploads;
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    return link;
}

void transactions_close(struct host *host) {
    while (host->transactions.first)
        archive_abort(transaction_take(host, host->transactions.first));
}

// ---- Reading and removing ----

static int list(struct call *call) {
    struct archive_error why;
    const char *after = text_of(call->message, "after");
    if (archive_list(&call->result, call->host->paths->home, after ? after : "", &why) < 0)
        return fail_archive(&call->error, &why);
    return 0;
}

static int show(struct call *call) {
    struct archive_error why;
    if (archive_show(&call->result, call->host->paths->home, text_of(call->message, "name"),
                     number_of(call->message, "from"), &why) < 0)
        return fail_archive(&call->error, &why);
    return 0;
}

static int remove_recording(struct call *call) {
    struct archive_error why;
    if (archive_remove(call->host->paths->home, text_of(call->message, "name"), &why) < 0)
        return fail_archive(&call->error, &why);
    return done(call, json_object());
}

static int verify(struct call *call) {
    struct archive_error why;
    if (archive_verify(&call->result, call->host->paths->home, text_of(call->message, "name"),
                       number_of(call->message, "from"), &why) < 0)
        return fail_archive(&call->error, &why);
    return 0;
}

// The answer to a piece of a body; NULL when memory is short.
static json_t *read_answer(const uint8_t *bytes, size_t size, uint64_t from, uint64_t total) {
    uint8_t *text = malloc((size + 2) / 3 * 4 + 1);
    if (!text) return NULL;
    size_t text_size = EVP_EncodeBlock(text, bytes, size);
    json_t *next = from + size < total ? json_integer((json_int_t)(from + size)) : json_null();
    json_t *answer = json_pack("{s:s%, s:I, s:o}", "data", (const char *)text, text_size, "size",
                               (json_int_t)total, "next", next);
    free(text);
    return answer;
}

static int read_body(struct call *call) {
    struct archive_error why;
    uint8_t *bytes = malloc(READ_PIECE_SIZE);
    if (!bytes) return message_fail_memory(&call->error);
    size_t size;
    uint64_t total, from = (uint64_t)number_of(call->message, "from");
    int status = 0;
    if (body_read(call->host->paths->home, text_of(call->message, "sha256"), from, bytes, READ_PIECE_SIZE,
                  &size, &total, &why) < 0)
        status = fail_archive(&call->error, &why);
    else if (!(call->result = read_answer(bytes, size, from, total)))
        status = message_fail_memory(&call->error);
    free(bytes);
    return status;
}

// ---- Writing ----

static int begin(struct call *call) {
    if (call->host->transactions.count == TRANSACTIONS_MAX)
        return message_fail(&call->error, "too-many", "commit or abort one", "transactions: %d are open",
                            TRANSACTIONS_MAX);
    const struct archive_new_recording recording = {
        .name = text_of(call->message, "name"),
        .url = text_of(call->message, "url"),
        .source = text_of(call->message, "source"),
        .recorded_at = text_of(call->message, "recorded_at"),
        .notes = json_object_get(call->message, "notes"),
        .replace = json_is_true(json_object_get(call->message, "replace"))};
    struct transaction *transaction = calloc(1, sizeof *transaction);
    if (!transaction) return message_fail_memory(&call->error);
    struct archive_error why;
    call->result = json_pack("{s:I}", "transaction", call->host->transactions.last + 1);
    int status = 0;
    if (!call->result)
        status = message_fail_memory(&call->error);
    else if (archive_begin(&transaction->archive, call->host->paths->home, &recording, &why) < 0)
        status = fail_archive(&call->error, &why);
    if (status < 0) {
        free(transaction);
        return -1;
    }
    transaction->number = ++call->host->transactions.last;
    transaction->next = call->host->transactions.first;
    call->host->transactions.first = transaction;
    call->host->transactions.count++;
    return 0;
}

// Appends base64 to an upload. The base64 has been checked, so only memory and the disk can fail.
static int upload_add(struct body_upload *upload, const json_t *base64, struct message_error *error) {
    struct archive_error why;
    size_t text_size = json_string_length(base64), size = 0;
    uint8_t *bytes = malloc(text_size / 4 * 3);
    if (!bytes) return message_fail_memory(error);
    int status = 0;
    if (!EVP_DecodeBase64(bytes, &size, text_size / 4 * 3, (const uint8_t *)json_string_value(base64),
                          text_size))
        status = message_malformed(error, "body: is not base64");
    else if (body_upload_add(upload, bytes, size, &why) < 0)
        status = fail_archive(error, &why);
    free(bytes);
    return status;
}

static int add_body(struct call *call) {
    struct transaction *transaction = transaction_of(call);
    if (!transaction) return -1;
    struct upload **link = upload_link(transaction, number_of(call->message, "upload"));
    struct archive_error why;
    if (!*link) {
        if (transaction->upload_count == UPLOADS_MAX)
            return message_fail(&call->error, "too-many", "add the exchanges of some", "uploads: %d are open",
                                UPLOADS_MAX);
        struct upload *upload = calloc(1, sizeof *upload);
        if (!upload) return message_fail_memory(&call->error);
        upload->number = number_of(call->message, "upload");
        if (body_upload_open(&upload->body, archive_bodies(transaction->archive), &why) < 0) {
            free(upload);
            return fail_archive(&call->error, &why);
        }
        *link = upload;
        transaction->upload_count++;
    }
    if (upload_add((*link)->body, json_object_get(call->message, "data"), &call->error) < 0) return -1;
    return done(call, json_object());
}

// The fields that may say what a message's body is: itself, an upload before, or one that is in the archive.
struct body_fields {
    const char *bytes, *upload, *sha256;
};

static const struct body_fields response_fields = {"body", "body_upload", "body_sha256"},
                                request_fields = {"request_body", "request_body_upload",
                                                  "request_body_sha256"};

// How many of the fields are there.
static int count_fields(const json_t *message, const struct body_fields *fields) {
    return !!json_object_get(message, fields->bytes) + !!json_object_get(message, fields->upload) +
           !!json_object_get(message, fields->sha256);
}

// The body as the message has it, or none. Taken over by the caller.
static int take_body(struct call *call, struct transaction *transaction, const struct body_fields *fields,
                     struct staged_body *body) {
    const json_t *message = call->message;
    struct message_error *error = &call->error;
    const json_t *base64 = json_object_get(message, fields->bytes),
                 *number = json_object_get(message, fields->upload);
    const char *sha256 = text_of(message, fields->sha256);
    struct body_upload *upload = NULL;
    struct archive_error why;
    *body = (struct staged_body){0};
    if (sha256) {
        snprintf(body->sha256, sizeof body->sha256, "%s", sha256);
        body->number = BODY_PUBLISHED;
        return body_size(call->host->paths->home, sha256, &body->size, &why) < 0 ? fail_archive(error, &why)
                                                                                 : 0;
    }
    if (!base64 && !number) return 0;
    if (base64) {
        if (body_upload_open(&upload, archive_bodies(transaction->archive), &why) < 0)
            return fail_archive(error, &why);
        if (upload_add(upload, base64, error) < 0) {
            body_upload_abort(upload);
            return -1;
        }
    } else {
        struct upload **link = upload_link(transaction, json_integer_value(number)), *taken = *link;
        if (!taken)
            return message_fail(error, "no-upload", "send it with archive.body first",
                                "upload %lld: is not open", (long long)json_integer_value(number));
        upload = taken->body;
        *link = taken->next;
        free(taken);
        transaction->upload_count--;
    }
    return body_upload_finish(upload, body, &why) < 0 ? fail_archive(error, &why) : 0;
}

// What spans several fields; each by itself has been checked.
static int check_bodies(const json_t *message, struct message_error *error) {
    const char *origin = text_of(json_object_get(message, "exchange"), "body_origin");
    int bodies = count_fields(message, &response_fields);
    if (bodies > 1)
        return message_malformed(
            error, "archive.exchange: has more than one of `body`, `body_upload` and `body_sha256`");
    if (count_fields(message, &request_fields) > 1)
        return message_malformed(error, "archive.exchange: has more than one of `request_body`,"
                                        " `request_body_upload` and `request_body_sha256`");
    bool empty = strcmp(origin, "empty") == 0;
    if (empty && bodies > 0)
        return message_malformed(error, "archive.exchange: has a body, and `body_origin` is \"empty\"");
    if (!empty && bodies == 0)
        return message_malformed(error, "archive.exchange: has no body, and `body_origin` is \"%s\"", origin);
    return 0;
}

static int check_size(const json_t *exchange, struct message_error *error) {
    size_t size = json_dumpb(exchange, NULL, 0, JSON_COMPACT);
    if (size <= EXCHANGE_SIZE_MAX) return 0;
    return message_fail(error, "too-large", "leave out what is not needed of `recorded`, or the exchange",
                        "exchange of %.200s: is described by %zu bytes (at most %d)",
                        text_of(exchange, "host"), size, EXCHANGE_SIZE_MAX);
}

static int add_exchange(struct call *call) {
    const json_t *exchange = json_object_get(call->message, "exchange");
    if (check_bodies(call->message, &call->error) < 0 || check_size(exchange, &call->error) < 0) return -1;
    struct transaction *transaction = transaction_of(call);
    if (!transaction) return -1;
    const struct archive_exchange fields = {.method = text_of(exchange, "method"),
                                            .scheme = text_of(exchange, "scheme"),
                                            .host = text_of(exchange, "host"),
                                            .port = (uint16_t)number_of(exchange, "port"),
                                            .path = text_of(exchange, "path"),
                                            .request_headers = json_object_get(exchange, "request_headers"),
                                            .address = text_of(exchange, "address"),
                                            .status = (uint16_t)number_of(exchange, "status"),
                                            .response_headers = json_object_get(exchange, "response_headers"),
                                            .body_origin = text_of(exchange, "body_origin"),
                                            .recorded = json_object_get(exchange, "recorded")};
    call->result = json_pack("{s:I}", "seq", transaction->exchange_count);
    if (!call->result) return message_fail_memory(&call->error);
    struct staged_body request_body, body;
    struct archive_error why;
    if (take_body(call, transaction, &request_fields, &request_body) < 0) return -1;
    if (take_body(call, transaction, &response_fields, &body) < 0) {
        if (request_body.size > 0) body_store_discard(archive_bodies(transaction->archive), &request_body);
        return -1;
    }
    if (archive_add(transaction->archive, &fields, &request_body, &body, &why) < 0)
        return fail_archive(&call->error, &why);
    transaction->exchange_count++;
    return 0;
}

static int commit(struct call *call) {
    struct transaction *transaction = transaction_of(call);
    if (!transaction) return -1;
    struct archive_error why;
    json_t *recording;
    if (archive_commit(transaction_take(call->host, transaction), json_object_get(call->message, "notes"),
                       &recording, &why) < 0)
        return fail_archive(&call->error, &why);
    call->result = json_pack("{s:o}", "recording", recording);
    return call->result ? 0 : message_fail_memory(&call->error);
}

static int abort_transaction(struct call *call) {
    struct transaction *transaction = transaction_of(call);
    if (!transaction) return -1;
    archive_abort(transaction_take(call->host, transaction));
    return done(call, json_object());
}

const struct message_handler archive_handlers[] = {
    {"archive.list", list},
    {"archive.show", show},
    {"archive.verify", verify},
    {"archive.read", read_body},
    {"archive.begin", begin},
    {"archive.body", add_body},
    {"archive.exchange", add_exchange},
    {"archive.commit", commit},
    {"archive.abort", abort_transaction},
    {"archive.remove", remove_recording},
    {NULL, NULL},
};
