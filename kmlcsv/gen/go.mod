module flightdesk/kmlcsv/gen

go 1.26
