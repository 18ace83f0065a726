CREATE TABLE stations (
    station_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    country TEXT NOT NULL,
    platforms INTEGER NOT NULL,
    opened_year INTEGER
);

CREATE TABLE lines (
    line_id INTEGER PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    distance_km INTEGER NOT NULL,
    launched_on DATE NOT NULL,
    withdrawn_on DATE
);

CREATE TABLE line_stops (
    line_id INTEGER NOT NULL REFERENCES lines (line_id),
    stop_number INTEGER NOT NULL,
    station_id INTEGER NOT NULL REFERENCES stations (station_id),
    minutes_from_start INTEGER NOT NULL,
    PRIMARY KEY (line_id, stop_number)
);

CREATE TABLE coaches (
    coach_id INTEGER PRIMARY KEY,
    line_id INTEGER REFERENCES lines (line_id),
    kind TEXT NOT NULL,
    places INTEGER NOT NULL,
    built_year INTEGER NOT NULL,
    refitted_year INTEGER
);

CREATE TABLE travellers (
    traveller_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    home_country TEXT NOT NULL,
    loyalty_number BIGINT UNIQUE
);

CREATE TABLE bookings (
    booking_id INTEGER PRIMARY KEY,
    traveller_id INTEGER NOT NULL REFERENCES travellers (traveller_id),
    coach_id INTEGER NOT NULL REFERENCES coaches (coach_id),
    travel_date DATE NOT NULL,
    fare_cents INTEGER NOT NULL,
    status TEXT NOT NULL, -- travelled, cancelled or no-show
    breakfast TEXT
);
