CREATE TABLE rivers (
    river_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    length_km INTEGER NOT NULL,
    flows_into TEXT NOT NULL
);

CREATE TABLE gauges (
    gauge_id INTEGER PRIMARY KEY,
    river_id INTEGER NOT NULL REFERENCES rivers (river_id),
    site TEXT NOT NULL UNIQUE,
    altitude_m INTEGER NOT NULL,
    installed_on DATE NOT NULL,
    alarm_level_mm INTEGER NOT NULL,
    observer TEXT
);

CREATE TABLE readings (
    gauge_id INTEGER NOT NULL REFERENCES gauges (gauge_id),
    read_at DATETIME NOT NULL,
    level_mm INTEGER, -- empty when the sensor failed
    temperature_c REAL NOT NULL,
    PRIMARY KEY (gauge_id, read_at)
) WITHOUT ROWID;

CREATE TABLE flood_alerts (
    alert_id INTEGER PRIMARY KEY,
    gauge_id INTEGER NOT NULL REFERENCES gauges (gauge_id),
    severity TEXT NOT NULL,
    raised_at DATETIME NOT NULL,
    cleared_at DATETIME,
    message TEXT
);
