CREATE TABLE districts (
    district_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    headquarters TEXT NOT NULL,
    yearly_budget INTEGER NOT NULL
);

CREATE TABLE lighthouses (
    lighthouse_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    district_id INTEGER NOT NULL REFERENCES districts (district_id),
    construction TEXT NOT NULL,
    tower_height_m INTEGER NOT NULL,
    focal_height_m INTEGER NOT NULL,
    first_lit_on DATE NOT NULL,
    automated_on DATE,
    latitude REAL NOT NULL
);

CREATE TABLE lamps (
    lamp_id INTEGER PRIMARY KEY,
    lighthouse_id INTEGER NOT NULL REFERENCES lighthouses (lighthouse_id),
    fuel TEXT NOT NULL,
    range_miles INTEGER NOT NULL,
    installed_on DATE NOT NULL,
    removed_on DATE
);

CREATE TABLE keepers (
    keeper_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    born_year INTEGER,
    home_port TEXT NOT NULL
);

CREATE TABLE postings (
    posting_id INTEGER PRIMARY KEY,
    keeper_id INTEGER NOT NULL REFERENCES keepers (keeper_id),
    lighthouse_id INTEGER NOT NULL REFERENCES lighthouses (lighthouse_id),
    grade TEXT NOT NULL, -- head, assistant or relief
    started_on DATE NOT NULL,
    ended_on DATE
);

CREATE TABLE storm_damage (
    damage_id INTEGER PRIMARY KEY,
    lighthouse_id INTEGER NOT NULL REFERENCES lighthouses (lighthouse_id),
    reported_on DATE NOT NULL,
    description TEXT NOT NULL,
    repair_cost INTEGER
);
