CREATE TABLE families (
    family_id INTEGER PRIMARY KEY,
    latin_name TEXT NOT NULL UNIQUE,
    common_name TEXT NOT NULL
);

CREATE TABLE varieties (
    variety_id INTEGER PRIMARY KEY,
    family_id INTEGER NOT NULL REFERENCES families (family_id),
    name TEXT NOT NULL UNIQUE,
    crop TEXT NOT NULL,
    origin TEXT,
    days_to_harvest INTEGER,
    is_heirloom INTEGER NOT NULL
);

CREATE TABLE members (
    member_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    village TEXT NOT NULL,
    joined_on DATE NOT NULL,
    email TEXT
);

CREATE TABLE packets (
    packet_id INTEGER PRIMARY KEY,
    variety_id INTEGER NOT NULL REFERENCES varieties (variety_id),
    donor_id INTEGER REFERENCES members (member_id),
    harvest_year INTEGER NOT NULL,
    seed_count INTEGER NOT NULL,
    shelf TEXT NOT NULL
);

CREATE TABLE loans (
    loan_id INTEGER PRIMARY KEY,
    packet_id INTEGER NOT NULL REFERENCES packets (packet_id),
    member_id INTEGER NOT NULL REFERENCES members (member_id),
    borrowed_on DATE NOT NULL,
    returned_on DATE,
    seeds_returned INTEGER
);

CREATE TABLE germination_tests (
    test_id INTEGER PRIMARY KEY,
    packet_id INTEGER NOT NULL REFERENCES packets (packet_id),
    tested_on DATE NOT NULL,
    sown INTEGER NOT NULL,
    sprouted INTEGER NOT NULL
);

CREATE TABLE swap_requests (
    request_id INTEGER PRIMARY KEY,
    member_id INTEGER NOT NULL REFERENCES members (member_id),
    wanted_variety_id INTEGER NOT NULL REFERENCES varieties (variety_id),
    offered_variety_id INTEGER REFERENCES varieties (variety_id),
    requested_on DATE NOT NULL
);
