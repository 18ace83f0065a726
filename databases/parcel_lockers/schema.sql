CREATE TABLE depots (
    depot_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    city TEXT NOT NULL,
    opened_on DATE NOT NULL
);

CREATE TABLE lockers (
    locker_id INTEGER PRIMARY KEY,
    depot_id INTEGER NOT NULL REFERENCES depots (depot_id),
    street TEXT NOT NULL,
    compartments INTEGER NOT NULL,
    solar_powered INTEGER NOT NULL,
    installed_on DATE NOT NULL,
    firmware TEXT
);

CREATE TABLE couriers (
    courier_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    depot_id INTEGER NOT NULL REFERENCES depots (depot_id),
    vehicle TEXT NOT NULL,
    hired_on DATE NOT NULL,
    left_on DATE
);

CREATE TABLE customers (
    customer_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    city TEXT NOT NULL,
    phone TEXT
);

CREATE TABLE parcels (
    tracking_number BIGINT PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (customer_id),
    locker_id INTEGER NOT NULL REFERENCES lockers (locker_id),
    courier_id INTEGER NOT NULL REFERENCES couriers (courier_id),
    size_class TEXT NOT NULL,
    weight_grams INTEGER NOT NULL,
    dropped_at DATETIME NOT NULL,
    collected_at DATETIME,
    pickup_token BLOB NOT NULL
);

CREATE TABLE complaints (
    complaint_id INTEGER PRIMARY KEY,
    tracking_number BIGINT NOT NULL REFERENCES parcels (tracking_number),
    topic TEXT NOT NULL,
    filed_on DATE NOT NULL,
    refund_cents INTEGER
);
