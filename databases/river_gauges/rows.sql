INSERT INTO rivers (river_id, name, length_km, flows_into) VALUES
(1, 'Arrowwater', 214, 'Gulf of Senn'),
(2, 'Lesser Tamm', 87, 'Arrowwater'),
(3, 'Kóris', 156, 'Gulf of Senn'),
(4, 'Blackbeck', 41, 'Lesser Tamm'),
(5, 'Grau', 122, 'Lake Immer'),
(6, 'Oldmill Cut', 19, 'Grau'),
(7, 'Sørelva', 98, 'Lake Immer');

INSERT INTO gauges (gauge_id, river_id, site, altitude_m, installed_on, alarm_level_mm, observer) VALUES
(1, 1, 'Arrow Head', 612, '1974-05-01', 1900, 'R. Tolliver'),
(2, 1, 'Senn Weir', 143, '1981-09-14', 3200, 'M. Okafor'),
(3, 1, 'Gulf Bridge', 6, '1969-02-20', 4100, NULL),
(4, 2, 'Tamm Ford', 288, '1990-06-11', 1750, 'D. Brisco'),
(5, 2, 'Chapel Pool', 197, '2003-03-30', 2100, NULL),
(6, 3, 'Kóris Felső', 405, '1988-10-05', 1600, 'Á. Szentes'),
(7, 3, 'Kóris Alsó', 88, '1988-10-07', 2700, 'Á. Szentes'),
(8, 4, 'Beck Stones', 351, '2011-07-19', 950, NULL),
(9, 5, 'Graubrück', 266, '1977-11-28', 2300, 'H. Zuber'),
(10, 5, 'Immer Mouth', 120, '1979-04-03', 2850, 'H. Zuber'),
(11, 6, 'Millrace', 158, '2017-08-22', 1200, 'P. Lang'),
(12, 7, 'Sørfoss', 487, '1995-12-12', 1450, 'I. Haugen'),
(13, 7, 'Sørvik', 131, '1996-01-15', 2000, 'I. Haugen'),
(14, 4, 'Beck Foot', 224, '2025-03-01', 1100, NULL);
