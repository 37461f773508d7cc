package columns

// Tables are the columns of lists, by the names of their tables.
var Tables = tables
