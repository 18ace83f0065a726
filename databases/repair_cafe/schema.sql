CREATE TABLE venues (
    venue_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    neighbourhood TEXT NOT NULL,
    workbenches INTEGER NOT NULL,
    step_free INTEGER NOT NULL -- 1 yes, 0 no
);

CREATE TABLE volunteers (
    volunteer_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    trade TEXT NOT NULL,
    joined_on DATE NOT NULL,
    phone TEXT
);

CREATE TABLE events (
    event_id INTEGER PRIMARY KEY,
    venue_id INTEGER NOT NULL REFERENCES venues (venue_id),
    held_on DATE NOT NULL,
    visitors INTEGER NOT NULL,
    donations_cents INTEGER
);

CREATE TABLE items (
    item_id INTEGER PRIMARY KEY,
    category TEXT NOT NULL,
    description TEXT NOT NULL,
    brand TEXT,
    age_years INTEGER,
    weight_grams INTEGER NOT NULL
);

CREATE TABLE repairs (
    repair_id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (item_id),
    event_id INTEGER NOT NULL REFERENCES events (event_id),
    volunteer_id INTEGER NOT NULL REFERENCES volunteers (volunteer_id),
    outcome TEXT NOT NULL, -- fixed, advice or not fixed
    minutes INTEGER NOT NULL,
    parts_cents INTEGER
);
