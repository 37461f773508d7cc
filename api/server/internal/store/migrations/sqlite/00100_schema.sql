-- +goose Up

-- The schema is the same in both databases. Every change needs a migration for each of
-- them. Migrations only add, so that processes of the previous version continue to work;
-- the next version can drop what is no longer used. In a shared database a migration holds
-- the writers' lock, and indexes are created concurrently.

-- Times are milliseconds since 1970 UTC. A date-time that keeps the UTC offset in which a
-- client sent it is text.

CREATE TABLE accounts (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid         TEXT NOT NULL UNIQUE,
    company_name TEXT NOT NULL,
    client_name  TEXT NOT NULL,
    client_email TEXT NOT NULL,
    currency     TEXT NOT NULL,
    created      BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid        TEXT NOT NULL UNIQUE,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    hash        TEXT NOT NULL UNIQUE, -- SHA-256, hexadecimal; the key itself is not stored
    hint        TEXT NOT NULL,        -- its last four characters
    scopes      TEXT NOT NULL,        -- separated by spaces
    description TEXT NOT NULL,
    created     BIGINT NOT NULL,
    expires     BIGINT,
    revoked     BIGINT
);

CREATE INDEX api_keys_of_account ON api_keys (account_id, id);

CREATE TABLE orders (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id          BIGINT NOT NULL REFERENCES accounts (id),
    uuid                TEXT NOT NULL UNIQUE,
    code                TEXT NOT NULL UNIQUE,
    status              TEXT NOT NULL,
    name                TEXT NOT NULL,
    company_name        TEXT NOT NULL,
    order_type          TEXT NOT NULL,
    sensors             TEXT NOT NULL, -- separated by spaces, like deliverables
    deliverables        TEXT NOT NULL,
    mission_objective   TEXT NOT NULL,
    industry_asset_type TEXT NOT NULL,
    start_date          TEXT NOT NULL,
    deadline            TEXT NOT NULL,
    area_size           DOUBLE PRECISION NOT NULL,
    mission_count       BIGINT NOT NULL,
    rejection_reason    TEXT,
    archive_reason      TEXT,
    created             BIGINT NOT NULL,
    updated             BIGINT NOT NULL,
    status_before       TEXT, -- status before the order was archived
    listed              TEXT, -- JSON of the order for lists; NULL: not formatted yet
    open_quotes         BIGINT NOT NULL DEFAULT 0
);

-- For lists of an account's orders, including deleted orders, and for numbered pages, which
-- are found in this index alone.
CREATE INDEX orders_of_account ON orders (account_id, created, id, status);

CREATE TABLE missions (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    order_id       BIGINT NOT NULL REFERENCES orders (id),
    position       BIGINT NOT NULL,
    uuid           TEXT NOT NULL UNIQUE,
    code           TEXT NOT NULL UNIQUE,
    status         TEXT NOT NULL,
    name           TEXT NOT NULL,
    mission_type   TEXT NOT NULL,
    country        TEXT NOT NULL,
    city           TEXT,
    location_label TEXT NOT NULL,
    area_size      DOUBLE PRECISION NOT NULL,
    location_map   TEXT NOT NULL, -- JSON
    operator_name  TEXT,
    flight_date    BIGINT,
    created        BIGINT NOT NULL,
    updated        BIGINT NOT NULL,
    UNIQUE (order_id, position)
);

CREATE TABLE idempotency (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    name       TEXT NOT NULL,
    body_hash  TEXT NOT NULL, -- SHA-256, hexadecimal
    result     TEXT NOT NULL, -- JSON of the first response
    created    BIGINT NOT NULL,
    PRIMARY KEY (account_id, name)
);

CREATE INDEX idempotency_age ON idempotency (created);

CREATE TABLE sequences (
    name TEXT PRIMARY KEY,
    last BIGINT NOT NULL,
    first BIGINT NOT NULL -- value after a reset
);

INSERT INTO sequences (name, last, first) VALUES ('order', 100200, 100200), ('mission', 300500, 300500);

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE webhooks (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    uuid        TEXT NOT NULL UNIQUE,
    url         TEXT NOT NULL,
    events      TEXT NOT NULL, -- separated by spaces
    description TEXT NOT NULL,
    secret      TEXT NOT NULL, -- encrypted, base64
    last_status TEXT,          -- result of the last finished callback
    created     BIGINT NOT NULL,
    updated     BIGINT NOT NULL
);

CREATE INDEX webhooks_of_account ON webhooks (account_id, id);

-- Callbacks: an event for an endpoint. If error is 'pending', it must still be sent.
CREATE TABLE webhook_deliveries (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id    BIGINT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    uuid          TEXT NOT NULL UNIQUE,
    event         TEXT NOT NULL,
    mission_uuid  TEXT NOT NULL,
    order_code    TEXT NOT NULL,
    body          TEXT NOT NULL, -- JSON, as signed and sent
    success       BIGINT NOT NULL,
    response_code BIGINT NOT NULL,
    attempts      BIGINT NOT NULL,
    error         TEXT,
    created       BIGINT NOT NULL,
    sender        BIGINT NOT NULL DEFAULT 0, -- ID of the process that sends it while it is pending
    resent        BIGINT -- when the client last asked to send it again; NULL for never
);

CREATE INDEX webhook_deliveries_page ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (id) WHERE error = 'pending';

CREATE TABLE planning (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    mission_id        BIGINT NOT NULL REFERENCES missions (id),
    version           BIGINT NOT NULL,
    scheduling_status TEXT NOT NULL,
    flight_date       BIGINT NOT NULL,
    scheduled_by      TEXT,
    note              TEXT,
    created           BIGINT NOT NULL,
    UNIQUE (mission_id, version)
);

CREATE TABLE packages (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid       TEXT NOT NULL UNIQUE,
    mission_id BIGINT NOT NULL REFERENCES missions (id),
    version    BIGINT NOT NULL,
    name       TEXT NOT NULL,
    status     TEXT NOT NULL,
    file_count BIGINT NOT NULL,
    total_size BIGINT NOT NULL, -- bytes
    created    BIGINT NOT NULL,
    UNIQUE (mission_id, version)
);

-- Descriptions of files. The content is in the file store.
CREATE TABLE files (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid       TEXT NOT NULL UNIQUE,
    package_id BIGINT REFERENCES packages (id), -- NULL: a permit
    position   BIGINT NOT NULL,
    name       TEXT NOT NULL,
    media_type TEXT NOT NULL,
    kind       TEXT NOT NULL,
    size       BIGINT NOT NULL, -- bytes
    sha256     TEXT NOT NULL,   -- hexadecimal
    place      TEXT NOT NULL,   -- key in the file store
    created    BIGINT NOT NULL,
    UNIQUE (package_id, position)
);

CREATE TABLE flight_permissions (
    mission_id BIGINT PRIMARY KEY REFERENCES missions (id),
    status     TEXT NOT NULL,
    authority  TEXT,
    reference  TEXT,
    valid_from BIGINT,
    valid_to   BIGINT,
    permit_id  BIGINT REFERENCES files (id),
    updated    BIGINT NOT NULL
);

CREATE TABLE key_requests (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid         TEXT NOT NULL UNIQUE,
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    intended_use TEXT NOT NULL,
    scopes       TEXT NOT NULL, -- separated by spaces
    status       TEXT NOT NULL,
    reason       TEXT,                             -- why it was declined
    key_id       BIGINT REFERENCES api_keys (id),  -- key issued on approval
    created      BIGINT NOT NULL,
    decided      BIGINT
);

-- The operations API lists the orders of all accounts.
CREATE INDEX orders_newest ON orders (created, id);

-- Removes the text for lists if an order changes without it.
-- +goose StatementBegin
CREATE TRIGGER orders_listed AFTER UPDATE OF uuid, code, status, name, company_name, order_type, sensors, deliverables,
    mission_objective, industry_asset_type, start_date, deadline, area_size, mission_count, rejection_reason,
    archive_reason, created, updated ON orders
WHEN OLD.listed IS NEW.listed AND NEW.listed IS NOT NULL
BEGIN
    UPDATE orders SET listed = NULL WHERE id = NEW.id;
END;
-- +goose StatementEnd

-- The operations API lists the orders with a status: of all accounts or of one.
CREATE INDEX orders_of_status ON orders (status, created, id);
CREATE INDEX orders_of_account_status ON orders (account_id, status, created, id);

-- Unreferenced files are found by their keys in the file store.
CREATE INDEX files_place ON files (place);

-- Finds the orders placed or changed since a time.
CREATE INDEX orders_moved ON orders (updated);

CREATE TABLE quotes (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid            TEXT NOT NULL UNIQUE,
    order_id        BIGINT NOT NULL REFERENCES orders (id),
    name            TEXT NOT NULL,
    description     TEXT NOT NULL,
    days            BIGINT NOT NULL,           -- delivery time in days
    price           DOUBLE PRECISION NOT NULL, -- before the discount, rounded to the smallest unit of the currency
    discount        DOUBLE PRECISION NOT NULL, -- percent
    discount_reason TEXT,
    final_price     DOUBLE PRECISION NOT NULL,
    currency        TEXT NOT NULL,
    expires         TEXT NOT NULL,             -- date-time with UTC offset
    status          TEXT NOT NULL,
    created         BIGINT NOT NULL,
    decided         BIGINT
);

CREATE INDEX quotes_of_order ON quotes (order_id, id);
CREATE UNIQUE INDEX quotes_accepted ON quotes (order_id) WHERE status = 'accepted';

-- The v2 API requests numbered pages of an account's orders, by the status that it shows.
CREATE INDEX orders_record ON orders (account_id, (CASE
    WHEN COALESCE(status_before, status) <> 'biddingWithQuote' THEN COALESCE(status_before, status)
    WHEN open_quotes > 0 THEN 'quoteReceived' ELSE 'reviewing' END), created, id);

-- Details of an order that only the v2 API shows.
CREATE TABLE order_details (
    order_id BIGINT PRIMARY KEY REFERENCES orders (id),
    details  TEXT NOT NULL -- JSON
);

-- How the client of an order is notified that it is complete.
CREATE TABLE order_notifications (
    order_id BIGINT PRIMARY KEY REFERENCES orders (id),
    owner    TEXT NOT NULL,   -- for which the secret is encrypted
    webhook  TEXT NOT NULL,   -- '': none
    email    BIGINT NOT NULL, -- 0 or 1
    secret   TEXT NOT NULL    -- encrypted, base64; '' without a webhook
);

CREATE TABLE datasets (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid           TEXT NOT NULL UNIQUE,
    account_id     BIGINT NOT NULL REFERENCES accounts (id),
    name           TEXT NOT NULL,
    categories     TEXT NOT NULL, -- JSON, like sdg_goals
    description    TEXT NOT NULL,
    sdg_goals      TEXT NOT NULL,
    location_label TEXT NOT NULL,
    location_map   TEXT NOT NULL, -- JSON
    date_completed TEXT NOT NULL, -- a day, or ''
    created        BIGINT NOT NULL
);

CREATE INDEX datasets_of_account ON datasets (account_id, id);

CREATE TABLE dataset_files (
    dataset_id BIGINT NOT NULL REFERENCES datasets (id),
    position   BIGINT NOT NULL,
    file_id    BIGINT NOT NULL REFERENCES files (id),
    PRIMARY KEY (dataset_id, position)
);

-- Notifications of clients that an order is complete. If error is 'pending', the
-- notification must still be sent.
CREATE TABLE notices (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid          TEXT NOT NULL UNIQUE,
    order_id      BIGINT NOT NULL REFERENCES orders (id),
    kind          TEXT NOT NULL, -- 'webhook' or 'email'
    address       TEXT NOT NULL, -- of the receiver
    body          TEXT NOT NULL, -- JSON: as signed and sent, or the data of the email
    success       BIGINT NOT NULL,
    response_code BIGINT NOT NULL,
    attempts      BIGINT NOT NULL,
    error         TEXT,
    created       BIGINT NOT NULL,
    sender        BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX notices_of_order ON notices (order_id, id);
CREATE INDEX notices_pending ON notices (id) WHERE error = 'pending';

-- The processes that use the database. Each writes its own row. Empty in the embedded
-- database, which only one process uses.
CREATE TABLE processes (
    id   BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    seen BIGINT NOT NULL, -- milliseconds since 1970 by the database's clock
    mark BIGINT NOT NULL -- identifies its last committed transaction
);

-- Attempts to send callbacks; old attempts are deleted.
CREATE TABLE callback_attempts (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_id   BIGINT NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
    number        BIGINT NOT NULL, -- from 1, continued when the callback is sent again
    sent          BIGINT NOT NULL, -- by the service's clock
    took          BIGINT NOT NULL, -- milliseconds
    response_code BIGINT NOT NULL,
    error         TEXT NOT NULL,   -- '' for success
    headers       TEXT NOT NULL,   -- JSON
    body          TEXT,            -- NULL: the body of the callback
    answer        TEXT NOT NULL,   -- beginning of the response body
    resent        BIGINT,          -- when the client asked to send the callback again; NULL for the first time
    next          BIGINT           -- when the next attempt follows; NULL for none
);

CREATE INDEX callback_attempts_of_delivery ON callback_attempts (delivery_id, number);
