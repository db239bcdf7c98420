# cmake -DSQL=FILE -DOUT=FILE.c -DNAME=IDENTIFIER -P embed_sql.cmake: a C string of the file's bytes.
file(READ "${SQL}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${hex}")
file(WRITE "${OUT}" "extern const char ${NAME}[];\nconst char ${NAME}[] = {${bytes}0};\n")
